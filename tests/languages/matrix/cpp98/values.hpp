// Values of the types of the module MODULE, and how they are printed.

namespace MODULE {

using ::print;

inline void fill(Draw &d, Place &v) {
    v.x = d.int32();
    v.y = d.int16();
}

inline void fill(Draw &d, Choice &v) {
    static const int32_t labels[] = {1, 2, 3, -4, 9};
    v._d = labels[d.below(5)];
    switch (v._d) {
    case 1: v._u.number = d.int64(); break;
    case 2:
    case 3: v._u.text = d.word(); break;
    case -4: fill(d, v._u.place); break;
    default: d.list(v._u.rest, 4); break;
    }
}

inline void print(const Place &v) { put("{%d,%d}", v.x, v.y); }

inline void print(const Site &v) { put("{%d,%d}", v.x, v.y); }

inline void print(const Choice &v) {
    put("(%d:", v._d);
    switch (v._d) {
    case 1: print(v._u.number); break;
    case 2:
    case 3: print(v._u.text); break;
    case -4: print(v._u.place); break;
    default: print(v._u.rest); break;
    }
    put(")");
}

inline void make(Flat &v, const char *from, uint32_t order) {
    Draw d(order);
    v.from = from;
    v.order = order;
    fill(d, v.flag);
    fill(d, v.raw);
    fill(d, v.letter);
    fill(d, v.i8);
    fill(d, v.u8);
    fill(d, v.i16);
    fill(d, v.u16);
    fill(d, v.i32);
    fill(d, v.u32);
    fill(d, v.i64);
    fill(d, v.u64);
    fill(d, v.f32);
    fill(d, v.f64);
    v.sign = static_cast<uint16_t>(0x30a2 + d.below(80));
    v.text = d.word();
    d.wide(v.wide);
    fill(d, v.mood);
    v.marks = static_cast< ::Common::Marks>(d.bits(16) & 0x8009);
}

inline void print_value(const Flat &v) {
    put("%s %02u", v.from.c_str(), v.order);
    member(v.flag), member(v.raw), member(v.letter), member(v.i8), member(v.u8), member(v.i16);
    member(v.u16), member(v.i32), member(v.u32), member(v.i64), member(v.u64), member(v.f32);
    member(v.f64), member(v.sign), member(v.text), member(v.wide), member(v.mood), member(v.marks);
}

inline void print_key(const Flat &) {}

inline void make(Many &v, const char *from, uint32_t order) {
    Draw d(order);
    v.from = from;
    v.order = order;
    d.list(v.flags, 9);
    d.list(v.raws, 9);
    d.list(v.letters, 9);
    d.list(v.i8s, 9);
    d.list(v.u8s, 9);
    d.list(v.i16s, 9);
    d.list(v.u16s, 9);
    d.list(v.i32s, 9);
    d.list(v.u32s, 9);
    d.list(v.i64s, 9);
    d.list(v.u64s, 9);
    d.list(v.f32s, 9);
    d.list(v.f64s, 9);
    d.list(v.texts, 9);
    d.list(v.moods, 9);
    fill(d, v.grid);
    fill(d, v.triple);
    fill(d, v.pair);
    fill(d, v.bits);
    fill(d, v.block);
    fill(d, v.corners);
}

inline void print_value(const Many &v) {
    put("%s %02u", v.from.c_str(), v.order);
    member(v.flags), member(v.raws), member(v.letters), member(v.i8s), member(v.u8s), member(v.i16s);
    member(v.u16s), member(v.i32s), member(v.u32s), member(v.i64s), member(v.u64s), member(v.f32s);
    member(v.f64s), member(v.texts), member(v.moods), member(v.grid), member(v.triple), member(v.pair);
    member(v.bits), member(v.block), member(v.corners);
}

inline void print_key(const Many &) {}

inline void make(Deep &v, const char *from, uint32_t order) {
    Draw d(order);
    v.from = from;
    v.number = order % INSTANCES;
    v.place.x = -static_cast<int32_t>(v.number);
    v.place.y = static_cast<int16_t>(3 * v.number);
    v.order = order;
    if (d.flag()) v.maybe = d.int32();
    if (d.flag()) v.word = ::DDS::String(d.word());
    if (d.flag()) {
        Place nest;
        fill(d, nest);
        v.nest = nest;
    }
    fill(d, v.choice);
    d.list(v.path, 5);
    d.list(v.rows, 4);
    d.list(v.choices, 3);
    v.counts.length(d.below(5));
    for (uint32_t i = 0; i < v.counts.length(); i++) {
        const char key[] = {'k', static_cast<char>('0' + i), 0};
        v.counts[i].key = key;
        v.counts[i].value = d.int32();
    }
    v.places.length(d.below(5));
    for (uint32_t i = 0; i < v.places.length(); i++) {
        v.places[i].key = static_cast<int32_t>(i) * 7 - 3;
        fill(d, v.places[i].value);
    }
    v.picture.length(order % 16 == 15 ? 70000 : static_cast<uint32_t>(d.bits(16) % 40));
    for (uint32_t i = 0; i < v.picture.length(); i++) {
        v.picture[i] = static_cast<uint8_t>((i * 7) ^ order);
    }
    v.last = d.int64();
}

inline void print_value(const Deep &v) {
    put("%s %02u", v.from.c_str(), v.order);
    member(v.number), member(v.place), member(v.maybe), member(v.word), member(v.nest);
    member(v.choice), member(v.path), member(v.rows), member(v.choices), member(v.counts);
    member(v.places);
    put(" ");
    print_octets(v.picture);
    member(v.last);
}

inline void print_key(const Deep &v) {
    put("%s end %u ", v.from.c_str(), v.number);
    print(v.place);
}

} // namespace MODULE
