import Finals.Choice;
import Finals.Deep;
import Finals.Flat;
import Finals.Many;
import Finals.Place;
import Finals.Site;
import org.dunlin.type.ShortSeq;

/** Values of the types of one module, and how they are printed. Those of the other modules are made of this file. */
final class OfFinals {
    private OfFinals() {
    }

    static Place place(Draw draw) {
        var place = new Place();
        place.x = draw.i32();
        place.y = draw.i16();
        return place;
    }

    static ShortSeq row(Draw draw) {
        var row = new ShortSeq();
        draw.list(4, i -> row.add(draw.i16()));
        return row;
    }

    static Choice choice(Draw draw) {
        var choice = new Choice();
        int label = new int[] {1, 2, 3, -4, 9}[draw.below(5)];
        switch (label) {
            case 1 -> choice.setNumber(draw.i64());
            case 2, 3 -> choice.setText(label, draw.word());
            case -4 -> choice.setPlace(place(draw));
            default -> choice.setRest(label, row(draw));
        }
        return choice;
    }

    static String print(Place place) {
        return place == null ? "-" : "{" + place.x + "," + place.y + "}";
    }

    static String print(Site site) {
        return "{" + site.x + "," + site.y + "}";
    }

    static String print(ShortSeq row) {
        return Print.list(row.length(), i -> Print.of(row.get(i)));
    }

    static String print(Choice choice) {
        int label = choice.getDiscriminator();
        return "(" + label + ":" + switch (label) {
            case 1 -> Print.of(choice.getNumber());
            case 2, 3 -> Print.text(choice.getText());
            case -4 -> print(choice.getPlace());
            default -> print(choice.getRest());
        } + ")";
    }

    static final class OfFlat extends Kind<Flat> {
        OfFlat() {
            super(Flat.TYPE);
        }

        @Override
        void fill(Flat v, String from, int order, Draw draw) {
            v.from = from;
            v.order = order;
            v.flag = draw.flag();
            v.raw = draw.i8();
            v.letter = draw.letter();
            v.i8 = draw.i8();
            v.u8 = draw.i8();
            v.i16 = draw.i16();
            v.u16 = draw.i16();
            v.i32 = draw.i32();
            v.u32 = draw.i32();
            v.i64 = draw.i64();
            v.u64 = draw.i64();
            v.f32 = draw.f32();
            v.f64 = draw.f64();
            v.sign = (char) (0x30a2 + draw.below(80));
            v.text = draw.word();
            v.wide = draw.wide();
            v.mood = draw.mood();
            v.marks = new Common.Marks(draw.bits(16) & 0x8009);
        }

        @Override
        String print(Flat v) {
            return String.join(" ", v.from, String.format("%02d", v.order), Print.of(v.flag), Print.unsigned(v.raw),
                    Print.of(v.letter), Print.of(v.i8), Print.unsigned(v.u8), Print.of(v.i16), Print.unsigned(v.u16),
                    Print.of(v.i32), Print.unsigned(v.u32), Print.of(v.i64), Print.unsigned(v.u64), Print.of(v.f32),
                    Print.of(v.f64), Print.of(v.sign), Print.text(v.text), Print.wide(v.wide),
                    Print.of(v.mood.value()), Print.of(v.marks._bits));
        }
    }

    static final class OfMany extends Kind<Many> {
        OfMany() {
            super(Many.TYPE);
        }

        @Override
        void fill(Many v, String from, int order, Draw draw) {
            v.from = from;
            v.order = order;
            draw.list(9, i -> v.flags.add(draw.flag()));
            draw.list(9, i -> v.raws.add(draw.i8()));
            draw.list(9, i -> v.letters.add(draw.letter()));
            draw.list(9, i -> v.i8s.add(draw.i8()));
            draw.list(9, i -> v.u8s.add(draw.i8()));
            draw.list(9, i -> v.i16s.add(draw.i16()));
            draw.list(9, i -> v.u16s.add(draw.i16()));
            draw.list(9, i -> v.i32s.add(draw.i32()));
            draw.list(9, i -> v.u32s.add(draw.i32()));
            draw.list(9, i -> v.i64s.add(draw.i64()));
            draw.list(9, i -> v.u64s.add(draw.i64()));
            draw.list(9, i -> v.f32s.add(draw.f32()));
            draw.list(9, i -> v.f64s.add(draw.f64()));
            draw.list(9, i -> v.texts.add(draw.word()));
            draw.list(9, i -> v.moods.add(draw.mood()));
            Draw.each(6, i -> v.grid[i / 3][i % 3] = draw.i16());
            Draw.each(3, i -> v.triple[i] = draw.f64());
            Draw.each(2, i -> v.pair[i] = draw.word());
            Draw.each(5, i -> v.bits[i] = draw.flag());
            Draw.each(7, i -> v.block[i] = draw.i8());
            Draw.each(2, i -> v.corners[i] = place(draw));
        }

        @Override
        String print(Many v) {
            return String.join(" ", v.from, String.format("%02d", v.order),
                    Print.list(v.flags.length(), i -> Print.of(v.flags.get(i))),
                    Print.list(v.raws.length(), i -> Print.unsigned(v.raws.get(i))),
                    Print.list(v.letters.length(), i -> Print.of(v.letters.get(i))),
                    Print.list(v.i8s.length(), i -> Print.of(v.i8s.get(i))),
                    Print.list(v.u8s.length(), i -> Print.unsigned(v.u8s.get(i))),
                    Print.list(v.i16s.length(), i -> Print.of(v.i16s.get(i))),
                    Print.list(v.u16s.length(), i -> Print.unsigned(v.u16s.get(i))),
                    Print.list(v.i32s.length(), i -> Print.of(v.i32s.get(i))),
                    Print.list(v.u32s.length(), i -> Print.unsigned(v.u32s.get(i))),
                    Print.list(v.i64s.length(), i -> Print.of(v.i64s.get(i))),
                    Print.list(v.u64s.length(), i -> Print.unsigned(v.u64s.get(i))),
                    Print.list(v.f32s.length(), i -> Print.of(v.f32s.get(i))),
                    Print.list(v.f64s.length(), i -> Print.of(v.f64s.get(i))),
                    Print.list(v.texts.size(), i -> Print.text(v.texts.get(i))),
                    Print.list(v.moods.size(), i -> Print.of(v.moods.get(i).value())),
                    Print.list(2, i -> Print.list(3, j -> Print.of(v.grid[i][j]))),
                    Print.list(3, i -> Print.of(v.triple[i])), Print.list(2, i -> Print.text(v.pair[i])),
                    Print.list(5, i -> Print.of(v.bits[i])), Print.list(7, i -> Print.unsigned(v.block[i])),
                    Print.list(2, i -> OfFinals.print(v.corners[i])));
        }
    }

    static final class OfDeep extends Kind<Deep> {
        OfDeep() {
            super(Deep.TYPE);
        }

        @Override
        boolean isKeyed() {
            return true;
        }

        @Override
        void fill(Deep v, String from, int order, Draw draw) {
            v.from = from;
            v.number = order % INSTANCES;
            v.place = new Site(-v.number, (short) (3 * v.number));
            v.order = order;
            v.maybe = draw.flag() ? (Integer) draw.i32() : null;
            v.word = draw.flag() ? draw.word() : null;
            v.nest = draw.flag() ? place(draw) : null;
            v.choice = choice(draw);
            draw.list(5, i -> v.path.add(place(draw)));
            draw.list(4, i -> v.rows.add(row(draw)));
            draw.list(3, i -> v.choices.add(choice(draw)));
            draw.list(4, i -> v.counts.put("k" + i, draw.i32()));
            draw.list(4, i -> v.places.put(i * 7 - 3, place(draw)));
            int octets = order % 16 == 15 ? 70_000 : (int) (draw.bits(16) % 40);
            Draw.each(octets, i -> v.picture.add((byte) (i * 7 ^ order)));
            v.last = draw.i64();
        }

        @Override
        String print(Deep v) {
            return String.join(" ", v.from, String.format("%02d", v.order), Print.unsigned(v.number),
                    OfFinals.print(v.place), v.maybe == null ? "-" : Print.of(v.maybe), Print.text(v.word),
                    OfFinals.print(v.nest), OfFinals.print(v.choice),
                    Print.list(v.path.size(), i -> OfFinals.print(v.path.get(i))),
                    Print.list(v.rows.size(), i -> OfFinals.print(v.rows.get(i))),
                    Print.list(v.choices.size(), i -> OfFinals.print(v.choices.get(i))),
                    Print.map(v.counts, Print::text, value -> Print.of(value)),
                    Print.map(v.places, key -> Print.of(key), OfFinals::print), Print.octets(v.picture),
                    Print.of(v.last));
        }

        @Override
        String printKey(Deep v) {
            return v.from + " end " + Print.unsigned(v.number) + " " + OfFinals.print(v.place);
        }
    }
}
