import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.DomainParticipant;
import org.dunlin.WaitSet;

/** The side in Java of the live matrix: a publisher, or a subscriber. */
final class Matrix {
    private static final List<Side<?>> ALL = new ArrayList<>();

    private Matrix() {
    }

    private static <T> void both(String name, Kind<T> kind) {
        ALL.add(new Side<>(name + "_1", kind));
        ALL.add(new Side<>(name + "_2", kind));
    }

    private static void publish(String from, int readers) {
        try (var participant = DomainParticipant.create(0)) {
            ALL.forEach(side -> side.openWriter(participant));
            ALL.stream().filter(side -> side.isLate).forEach(side -> side.writeAll(from));
            ALL.forEach(side -> side.waitForMatched(readers));
            ALL.stream().filter(side -> !side.isLate).forEach(side -> side.writeAll(from));
            // Not before: late joiners do not hear of what is unregistered.
            ALL.forEach(side -> side.unregisterAll(from));
            ALL.forEach(Side::waitForAcknowledgments);
        }
    }

    private static boolean subscribe(int publishers) {
        var lines = new ArrayList<String>();
        int wanted = publishers * ALL.stream().mapToInt(Side::lines).sum();
        try (var participant = DomainParticipant.create(0); var waits = new WaitSet()) {
            ALL.forEach(side -> side.openReader(participant, waits));
            while (lines.size() < wanted && waits.await(Side.PATIENCE)) {
                ALL.forEach(side -> side.takeAll(lines));
            }
        }
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        lines.forEach(line -> out.print(line + "\n"));
        out.flush();
        if (lines.size() < wanted) {
            System.err.println(lines.size() + " lines of " + wanted + " came");
        }
        return lines.size() == wanted;
    }

    public static void main(String[] words) {
        both("Finals_Flat", new OfFinals.OfFlat());
        both("Finals_Many", new OfFinals.OfMany());
        both("Finals_Deep", new OfFinals.OfDeep());
        both("Appendables_Flat", new OfAppendables.OfFlat());
        both("Appendables_Many", new OfAppendables.OfMany());
        both("Appendables_Deep", new OfAppendables.OfDeep());
        both("Mutables_Flat", new OfMutables.OfFlat());
        both("Mutables_Many", new OfMutables.OfMany());
        both("Mutables_Deep", new OfMutables.OfDeep());
        var without = List.of(System.getenv().getOrDefault("MATRIX_WITHOUT", "").split(","));
        ALL.removeIf(side -> without.contains(side.name));
        boolean isWell = false;
        if (words.length == 3 && words[0].equals("publish")) {
            publish(words[1], Integer.parseInt(words[2]));
            isWell = true;
        } else if (words.length == 2 && words[0].equals("subscribe")) {
            isWell = subscribe(Integer.parseInt(words[1]));
        } else {
            System.err.println("publish FROM READERS, or subscribe PUBLISHERS");
        }
        System.exit(isWell ? 0 : 1);
    }
}
