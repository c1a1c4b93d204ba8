/* Values of the types of the module MODULE, and how they are printed; what is done with their topics. */

#define JOIN(a, b) a##_##b
#define OF(module, name) JOIN(module, name)
#define T(name) OF(MODULE, name)

static void T(make_place)(draw *d, T(Place) *v) {
    v->x = (int32_t)bits(d, 32);
    v->y = (int16_t)bits(d, 16);
}

static void T(make_choice)(draw *d, T(Choice) *v) {
    static const int32_t labels[] = { 1, 2, 3, -4, 9 };
    v->_d = labels[below(d, 5)];
    switch (v->_d) {
    case 1: v->_u.number = (int64_t)bits(d, 64); break;
    case 2:
    case 3: v->_u.text = word(d); break;
    case -4: T(make_place)(d, &v->_u.place); break;
    default: LIST(d, v->_u.rest, 4, *at = (int16_t)bits(d, 16), int16_t); break;
    }
}

static void T(print_place)(const T(Place) *v) { put("{%d,%d}", (int)v->x, (int)v->y); }

static void T(print_site)(const T(Site) *v) { put("{%d,%d}", (int)v->x, (int)v->y); }

static void T(print_choice)(const T(Choice) *v) {
    put("(%d:", (int)v->_d);
    switch (v->_d) {
    case 1: put("%lld", (long long)v->_u.number); break;
    case 2:
    case 3: print_text(v->_u.text); break;
    case -4: T(print_place)(&v->_u.place); break;
    default: EACH(v->_u.rest, put("%d", *at), int16_t); break;
    }
    put(")");
}

static void T(Flat_make)(T(Flat) *v, const char *from, uint32_t order) {
    draw d = drawing(order);
    strcpy(v->from, from);
    v->order = order;
    v->flag = bits(&d, 1) == 1;
    v->raw = (uint8_t)bits(&d, 8);
    v->letter = letter(&d);
    v->i8 = (int8_t)bits(&d, 8);
    v->u8 = (uint8_t)bits(&d, 8);
    v->i16 = (int16_t)bits(&d, 16);
    v->u16 = (uint16_t)bits(&d, 16);
    v->i32 = (int32_t)bits(&d, 32);
    v->u32 = (uint32_t)bits(&d, 32);
    v->i64 = (int64_t)bits(&d, 64);
    v->u64 = bits(&d, 64);
    v->f32 = draw_float(&d);
    v->f64 = draw_double(&d);
    v->sign = (uint16_t)(0x30a2 + below(&d, 80));
    v->text = word(&d);
    v->wide = wide(&d);
    v->mood = mood(&d);
    v->marks = (Common_Marks)(bits(&d, 16) & 0x8009);
}

static void T(Flat_print)(const T(Flat) *v) {
    put("%s %02u %d %u %u %d %u %d %u %d %u %lld %llu ", v->from, (unsigned)v->order, v->flag, v->raw,
        (unsigned char)v->letter, v->i8, v->u8, v->i16, v->u16, (int)v->i32, (unsigned)v->u32, (long long)v->i64,
        (unsigned long long)v->u64);
    print_float(v->f32);
    put(" ");
    print_double(v->f64);
    put(" %u ", v->sign);
    print_text(v->text);
    put(" ");
    print_wide(&v->wide);
    put(" %d %u", (int)v->mood, v->marks);
}

static void T(Flat_print_key)(const T(Flat) *v) { (void)v; }

static void T(Many_make)(T(Many) *v, const char *from, uint32_t order) {
    draw d = drawing(order);
    int i, j;
    strcpy(v->from, from);
    v->order = order;
    LIST(&d, v->flags, 9, *at = bits(&d, 1) == 1, bool);
    LIST(&d, v->raws, 9, *at = (uint8_t)bits(&d, 8), uint8_t);
    LIST(&d, v->letters, 9, *at = letter(&d), char);
    LIST(&d, v->i8s, 9, *at = (int8_t)bits(&d, 8), int8_t);
    LIST(&d, v->u8s, 9, *at = (uint8_t)bits(&d, 8), uint8_t);
    LIST(&d, v->i16s, 9, *at = (int16_t)bits(&d, 16), int16_t);
    LIST(&d, v->u16s, 9, *at = (uint16_t)bits(&d, 16), uint16_t);
    LIST(&d, v->i32s, 9, *at = (int32_t)bits(&d, 32), int32_t);
    LIST(&d, v->u32s, 9, *at = (uint32_t)bits(&d, 32), uint32_t);
    LIST(&d, v->i64s, 9, *at = (int64_t)bits(&d, 64), int64_t);
    LIST(&d, v->u64s, 9, *at = bits(&d, 64), uint64_t);
    LIST(&d, v->f32s, 9, *at = draw_float(&d), float);
    LIST(&d, v->f64s, 9, *at = draw_double(&d), double);
    LIST(&d, v->texts, 9, *at = word(&d), char *);
    LIST(&d, v->moods, 9, *at = mood(&d), Common_Mood);
    for (i = 0; i < 2; i++) {
        for (j = 0; j < 3; j++) v->grid[i][j] = (int16_t)bits(&d, 16);
    }
    for (i = 0; i < 3; i++) v->triple[i] = draw_double(&d);
    for (i = 0; i < 2; i++) v->pair[i] = word(&d);
    for (i = 0; i < 5; i++) v->bits[i] = bits(&d, 1) == 1;
    for (i = 0; i < 7; i++) v->block[i] = (uint8_t)bits(&d, 8);
    for (i = 0; i < 2; i++) T(make_place)(&d, &v->corners[i]);
}

static void T(Many_print)(const T(Many) *v) {
    put("%s %02u ", v->from, (unsigned)v->order);
    EACH(v->flags, put("%d", *at), bool);
    put(" ");
    EACH(v->raws, put("%u", *at), uint8_t);
    put(" ");
    EACH(v->letters, put("%u", (unsigned char)*at), char);
    put(" ");
    EACH(v->i8s, put("%d", *at), int8_t);
    put(" ");
    EACH(v->u8s, put("%u", *at), uint8_t);
    put(" ");
    EACH(v->i16s, put("%d", *at), int16_t);
    put(" ");
    EACH(v->u16s, put("%u", *at), uint16_t);
    put(" ");
    EACH(v->i32s, put("%d", (int)*at), int32_t);
    put(" ");
    EACH(v->u32s, put("%u", (unsigned)*at), uint32_t);
    put(" ");
    EACH(v->i64s, put("%lld", (long long)*at), int64_t);
    put(" ");
    EACH(v->u64s, put("%llu", (unsigned long long)*at), uint64_t);
    put(" ");
    EACH(v->f32s, print_float(*at), float);
    put(" ");
    EACH(v->f64s, print_double(*at), double);
    put(" ");
    EACH(v->texts, print_text(*at), text);
    put(" ");
    EACH(v->moods, put("%d", (int)*at), Common_Mood);
    put(" [[%d,%d,%d],[%d,%d,%d]] [", v->grid[0][0], v->grid[0][1], v->grid[0][2], v->grid[1][0], v->grid[1][1],
        v->grid[1][2]);
    print_double(v->triple[0]);
    put(",");
    print_double(v->triple[1]);
    put(",");
    print_double(v->triple[2]);
    put("] [");
    print_text(v->pair[0]);
    put(",");
    print_text(v->pair[1]);
    put("] [%d,%d,%d,%d,%d] [%u,%u,%u,%u,%u,%u,%u] [", v->bits[0], v->bits[1], v->bits[2], v->bits[3], v->bits[4],
        v->block[0], v->block[1], v->block[2], v->block[3], v->block[4], v->block[5], v->block[6]);
    T(print_place)(&v->corners[0]);
    put(",");
    T(print_place)(&v->corners[1]);
    put("]");
}

static void T(Many_print_key)(const T(Many) *v) { (void)v; }

static void T(Deep_make)(T(Deep) *v, const char *from, uint32_t order) {
    draw d = drawing(order);
    uint32_t i, count;
    strcpy(v->from, from);
    v->number = order % INSTANCES;
    v->place.x = -(int32_t)v->number;
    v->place.y = (int16_t)(3 * v->number);
    v->order = order;
    if (bits(&d, 1) == 1) {
        v->maybe = made(1, sizeof *v->maybe);
        *v->maybe = (int32_t)bits(&d, 32);
    }
    if (bits(&d, 1) == 1) v->word = word(&d);
    if (bits(&d, 1) == 1) {
        v->nest = made(1, sizeof *v->nest);
        T(make_place)(&d, v->nest);
    }
    T(make_choice)(&d, &v->choice);
    LIST(&d, v->path, 5, T(make_place)(&d, at), T(Place));
    LIST(&d, v->rows, 4, make_row(&d, at), dunlin_sequence_int16);
    LIST(&d, v->choices, 3, T(make_choice)(&d, at), T(Choice));
    count = below(&d, 5);
    ROOM(v->counts, count);
    for (i = 0; i < count; i++) {
        char key[] = "k0";
        key[1] = (char)('0' + i);
        v->counts._buffer[i].key = text_of(key);
        v->counts._buffer[i].value = (int32_t)bits(&d, 32);
    }
    count = below(&d, 5);
    ROOM(v->places, count);
    for (i = 0; i < count; i++) {
        v->places._buffer[i].key = (int32_t)i * 7 - 3;
        T(make_place)(&d, &v->places._buffer[i].value);
    }
    count = order % 16 == 15 ? 70000 : (uint32_t)(bits(&d, 16) % 40);
    ROOM(v->picture, count);
    for (i = 0; i < count; i++) v->picture._buffer[i] = (uint8_t)(i * 7 ^ order);
    v->last = (int64_t)bits(&d, 64);
}

static void T(Deep_print)(const T(Deep) *v) {
    put("%s %02u %u ", v->from, (unsigned)v->order, (unsigned)v->number);
    T(print_site)(&v->place);
    if (v->maybe == NULL) put(" - ");
    else put(" %d ", (int)*v->maybe);
    if (v->word == NULL) put("-");
    else print_text(v->word);
    put(" ");
    if (v->nest == NULL) put("-");
    else T(print_place)(v->nest);
    put(" ");
    T(print_choice)(&v->choice);
    put(" ");
    EACH(v->path, T(print_place)(at), T(Place));
    put(" ");
    EACH(v->rows, print_row(at), dunlin_sequence_int16);
    put(" ");
    EACH(v->choices, T(print_choice)(at), T(Choice));
    put(" ");
    EACH(v->counts, (print_text(at->key), put("=%d", (int)at->value)), dunlin_map_string_int32_entry);
    put(" ");
    EACH(v->places, (put("%d=", (int)at->key), T(print_place)(&at->value)), PLACES_ENTRY);
    put(" ");
    print_octets(&v->picture);
    put(" %lld", (long long)v->last);
}

static void T(Deep_print_key)(const T(Deep) *v) {
    put("%s end %u ", v->from, (unsigned)v->number);
    T(print_site)(&v->place);
}

/* What is done with topics of a type: functions of the same form for all of them. */
#define TOPIC(type, is_keyed, DISPOSE, UNREGISTER)                                                                     \
    static int32_t T(type##_open_writer)(dunlin_participant on, const char *name, const dunlin_writer_qos *qos,        \
                                         dunlin_writer *writer) {                                                      \
        dunlin_topic topic;                                                                                            \
        DUNLIN_TRY(T(type##_topic)(on, name, NULL, &topic));                                                           \
        return T(type##_writer)(on, topic, qos, NULL, writer);                                                         \
    }                                                                                                                  \
    static int32_t T(type##_open_reader)(dunlin_participant on, const char *name, const dunlin_reader_qos *qos,        \
                                         dunlin_reader *reader) {                                                      \
        dunlin_topic topic;                                                                                            \
        DUNLIN_TRY(T(type##_topic)(on, name, NULL, &topic));                                                           \
        return T(type##_reader)(on, topic, qos, NULL, reader);                                                         \
    }                                                                                                                  \
    static int32_t T(type##_write_all)(dunlin_writer writer, const char *from) {                                       \
        T(type) value;                                                                                                 \
        int32_t code = DUNLIN_OK;                                                                                      \
        uint32_t order, number;                                                                                        \
        for (order = 0; order < SAMPLES && code == DUNLIN_OK; order++) {                                               \
            T(type##_init)(&value);                                                                                    \
            T(type##_make)(&value, from, order);                                                                       \
            code = T(type##_write)(writer, &value, NULL);                                                              \
            T(type##_free)(&value);                                                                                    \
        }                                                                                                              \
        for (number = 0; is_keyed && number < INSTANCES && code == DUNLIN_OK; number += 2) {                           \
            T(type##_init)(&value);                                                                                    \
            T(type##_make)(&value, from, number);                                                                      \
            code = DISPOSE;                                                                                            \
            T(type##_free)(&value);                                                                                    \
        }                                                                                                              \
        return code;                                                                                                   \
    }                                                                                                                  \
    static int32_t T(type##_unregister_all)(dunlin_writer writer, const char *from) {                                  \
        T(type) value;                                                                                                 \
        int32_t code = DUNLIN_OK;                                                                                      \
        uint32_t number;                                                                                               \
        for (number = 1; is_keyed && number < INSTANCES && code == DUNLIN_OK; number += 2) {                           \
            T(type##_init)(&value);                                                                                    \
            T(type##_make)(&value, from, number);                                                                      \
            code = UNREGISTER;                                                                                         \
            T(type##_free)(&value);                                                                                    \
        }                                                                                                              \
        return code;                                                                                                   \
    }                                                                                                                  \
    static int32_t T(type##_take_all)(dunlin_reader reader, const char *name) {                                        \
        T(type##_batch) batch = { 0 };                                                                                 \
        int32_t code;                                                                                                  \
        uint64_t i;                                                                                                    \
        while ((code = T(type##_take)(reader, NULL, &batch)) == DUNLIN_OK) {                                           \
            for (i = 0; i < batch.count; i++) {                                                                        \
                const dunlin_sample_info *info = &batch.samples[i].info;                                               \
                if (!info->valid_data && !is_keyed) continue;                                                          \
                put("%s ", name);                                                                                      \
                if (info->valid_data) {                                                                                \
                    T(type##_print)(&batch.data[i]);                                                                   \
                } else {                                                                                               \
                    T(type##_print_key)(&batch.data[i]);                                                               \
                    put(" %s", end_of(info->instance_state));                                                          \
                }                                                                                                      \
                end_line();                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        T(type##_batch_free)(&batch);                                                                                  \
        return code == DUNLIN_NO_DATA ? DUNLIN_OK : code;                                                              \
    }

TOPIC(Flat, 0, ((void)writer, DUNLIN_ERROR), ((void)writer, DUNLIN_ERROR))
TOPIC(Many, 0, ((void)writer, DUNLIN_ERROR), ((void)writer, DUNLIN_ERROR))
TOPIC(Deep, 1, T(Deep_dispose)(writer, &value, NULL), T(Deep_unregister)(writer, &value, NULL))

#undef TOPIC
#undef JOIN
#undef OF
#undef T
