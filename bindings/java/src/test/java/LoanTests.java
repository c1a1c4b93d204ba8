import flock.Mark;
import flock.MarkView;
import flock.Picture;
import flock.PictureView;
import org.dunlin.DdsException;
import org.dunlin.DomainParticipant;
import org.dunlin.Loan;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Representation;

/** Samples in memory that others see. */
final class LoanTests {
    private LoanTests() {
    }

    public static void whatIsWrittenInALoanIsTaken() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Pictures", Picture.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            var expected = new Picture();
            expected.number = 5;
            expected.scale = 0.5f;
            expected.grid[1][2] = -1.25;
            expected.pixels[63_999] = -7;
            expected.spots[1].y = 3;
            expected.letters[0] = 'e';
            expected.letters[5] = '\u00e9';
            expected.shade = -2;
            PictureView kept;
            try (Loan<PictureView> loan = writer.loan(PictureView::new)) {
                kept = loan.value();
                Check.that(kept.isOpen());
                kept.clear();
                kept.number(5);
                kept.scale(0.5f);
                kept.grid(1, 2, -1.25);
                kept.pixels(expected.pixels);
                kept.spots(1).y(3);
                kept.letters(0, 'e');
                kept.letters(5, '\u00e9');
                kept.shade((short) -2);
                Check.equal(kept.letters(5), '\u00e9');
                Check.equal(kept.spots(1).y(), 3.0);
                try {
                    kept.grid(2, 0);
                    throw new AssertionError("there is no such element");
                } catch (IndexOutOfBoundsException said) {
                    Check.that(said.getMessage().contains("2"));
                }
                loan.write();
            }
            Check.that(!kept.isOpen() && !kept.spots(0).isOpen());
            try {
                kept.spots(0).x();
                throw new AssertionError("the memory is not the view's");
            } catch (IllegalStateException said) {
                Check.that(said.getMessage().contains("loan"));
            }
            var taken = new Picture();
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, expected);
            // One that is closed, and not written.
            writer.loan(PictureView::new).close();
            Check.that(!reader.takeNext(taken, null));
        }
    }

    public static void memoryHasToBeTheEncoding() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Marks", Mark.TYPE);
            var wrong = participant.createDataWriter(topic, new DataWriterQos().representation(Representation.XCDR2));
            Check.fails(DdsException.Unsupported.class, "XCDR1", () -> wrong.loan(MarkView::new));
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable()
                    .representations(Representation.XCDR1));
            var right = participant.createDataWriter(topic, new DataWriterQos().representation(Representation.XCDR1));
            var loan = right.loan(MarkView::new);
            loan.value().clear();
            loan.value().at(1L << 40);
            loan.value().height((short) 9);
            loan.write();
            try {
                loan.write();
                throw new AssertionError("it was written");
            } catch (IllegalStateException said) {
                Check.that(said.getMessage().contains("written"));
            }
            loan.close();
            var taken = new Mark();
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, new Mark(1L << 40, (short) 0, (short) 9, 0));
        }
    }
}
