/* The side in C of the live matrix: a publisher, or a subscriber. */
#include "matrix.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define SAMPLES 64
#define INSTANCES 8
#define PATIENCE (20 * DUNLIN_SECOND)

/* Numbers and texts that follow from the number of a sample. All languages draw the same. */
typedef struct draw {
    uint32_t order;
    uint64_t state;
} draw;

static draw drawing(uint32_t order) {
    draw d;
    d.order = order;
    d.state = UINT64_C(0x9e3779b97f4a7c15) * (order + UINT64_C(1));
    return d;
}

/* A number of so many bits. The first four samples have the edges. */
static uint64_t bits(draw *d, int count) {
    switch (d->order) {
    case 0: return 0;
    case 1: return UINT64_MAX >> (64 - count);
    case 2: return UINT64_C(1) << (count - 1);
    case 3: return (UINT64_C(1) << (count - 1)) - 1;
    default: break;
    }
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state * UINT64_C(0x2545f4914f6cdd1d) >> (64 - count);
}

static uint32_t below(draw *d, uint32_t end) { return (uint32_t)(bits(d, 8) % end); }

static char letter(draw *d) { return (char)('a' + below(d, 26)); }

static float draw_float(draw *d) {
    const float number = (float)(int16_t)bits(d, 16) / 16;
    const uint32_t infinity = 0x7f800000;
    float most;
    memcpy(&most, &infinity, sizeof most);
    return d->order == 1 ? -0.0f : d->order == 3 ? most : number;
}

static double draw_double(draw *d) {
    const double number = (double)(int32_t)bits(d, 32) / 256;
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    double most;
    memcpy(&most, &infinity, sizeof most);
    return d->order == 1 ? -0.0 : d->order == 3 ? most : number;
}

static Common_Mood mood(draw *d) {
    static const Common_Mood all[] = { Common_Mood_CALM, Common_Mood_WARY, Common_Mood_LOUD };
    return all[below(d, 3)];
}

/* Memory of zeros, which a value owns. */
static void *made(size_t count, size_t size) {
    void *memory = count == 0 ? NULL : calloc(count, size);
    if (count != 0 && memory == NULL) abort();
    return memory;
}

typedef char *text;

static char *text_of(const char *text) { return strcpy(made(strlen(text) + 1, 1), text); }

static char *word(draw *d) {
    static const char *const words[] = { "", "a", "heron", "Gänsesäger", "カモメ", "🦆 duck" };
    return text_of(words[below(d, 6)]);
}

static dunlin_wstring wide(draw *d) {
    static const uint16_t all[][2] = { { 0, 0 }, { 'a', 0 }, { 0xe4, 0xf6 }, { 0xd83e, 0xdd86 } };
    static const uint32_t lengths[] = { 0, 1, 2, 2 };
    const uint32_t which = below(d, 4);
    dunlin_wstring text = { 0 };
    text._maximum = text._length = lengths[which];
    text._buffer = made(lengths[which], sizeof *text._buffer);
    text._release = true;
    if (text._buffer != NULL) memcpy(text._buffer, all[which], lengths[which] * sizeof *text._buffer);
    return text;
}

/* So many elements of zeros for a sequence. */
#define ROOM(sequence, count)                                                                                          \
    do {                                                                                                               \
        (sequence)._buffer = made((count), sizeof *(sequence)._buffer);                                                \
        (sequence)._maximum = (sequence)._length = (count);                                                            \
        (sequence)._release = true;                                                                                    \
    } while (0)

/* Up to `most` elements; each is filled in at `at`. */
#define LIST(d, sequence, most, fill, element)                                                                         \
    do {                                                                                                               \
        const uint32_t count_ = below((d), (most) + 1);                                                                \
        uint32_t i_;                                                                                                   \
        ROOM(sequence, count_);                                                                                        \
        for (i_ = 0; i_ < count_; i_++) {                                                                              \
            element *at = &(sequence)._buffer[i_];                                                                     \
            fill;                                                                                                      \
        }                                                                                                              \
    } while (0)

static void make_row(draw *d, dunlin_sequence_int16 *row) { LIST(d, *row, 4, *at = (int16_t)bits(d, 16), int16_t); }

/* The lines that are printed at the end. */
static char *lines;
static size_t length, room;
static unsigned line_count;

static void put(const char *format, ...) {
    for (;;) {
        va_list words;
        int count;
        va_start(words, format);
        count = vsnprintf(lines == NULL ? NULL : lines + length, room - length, format, words);
        va_end(words);
        if (count < 0) abort();
        if ((size_t)count < room - length) {
            length += (size_t)count;
            return;
        }
        room = 2 * room + (size_t)count + 4096;
        lines = realloc(lines, room);
        if (lines == NULL) abort();
    }
}

static void end_line(void) {
    put("\n");
    line_count++;
}

/* How values are printed. All languages print the same. */
static void print_text(const char *text) { put("\"%s\"", text); }

static void print_wide(const dunlin_wstring *text) {
    uint32_t i;
    put("u");
    for (i = 0; i < text->_length; i++) put("%04x", text->_buffer[i]);
}

static void print_float(float number) {
    uint32_t as_bits;
    memcpy(&as_bits, &number, sizeof as_bits);
    put("%08" PRIx32, as_bits);
}

static void print_double(double number) {
    uint64_t as_bits;
    memcpy(&as_bits, &number, sizeof as_bits);
    put("%016" PRIx64, as_bits);
}

/* Of many octets how many there are and FNV-1a of them. */
static void print_octets(const dunlin_octet_member *octets) {
    uint32_t hash = 0x811c9dc5, i;
    for (i = 0; i < octets->_length; i++) hash = (hash ^ octets->_buffer[i]) * 0x01000193;
    put("%u:%08" PRIx32, (unsigned)octets->_length, hash);
}

#define EACH(sequence, print, element)                                                                                 \
    do {                                                                                                               \
        uint32_t i_;                                                                                                   \
        put("[");                                                                                                      \
        for (i_ = 0; i_ < (sequence)._length; i_++) {                                                                  \
            element const *at = &(sequence)._buffer[i_];                                                               \
            if (i_ > 0) put(",");                                                                                      \
            print;                                                                                                     \
        }                                                                                                              \
        put("]");                                                                                                      \
    } while (0)

static void print_row(const dunlin_sequence_int16 *row) { EACH(*row, put("%d", *at), int16_t); }

static const char *end_of(uint32_t instance_state) {
    return instance_state == DUNLIN_NOT_ALIVE_DISPOSED ? "disposed" : "unregistered";
}

#define MODULE Finals
#define PLACES_ENTRY dunlin_map_int32_Finals_Place_entry
#include "values.h"
#undef MODULE
#undef PLACES_ENTRY
#define MODULE Appendables
#define PLACES_ENTRY dunlin_map_int32_Appendables_Place_entry
#include "values.h"
#undef MODULE
#undef PLACES_ENTRY
#define MODULE Mutables
#define PLACES_ENTRY dunlin_map_int32_Mutables_Place_entry
#include "values.h"

typedef struct topic {
    const char *name;
    unsigned ends;
    int32_t (*open_writer)(dunlin_participant, const char *, const dunlin_writer_qos *, dunlin_writer *);
    int32_t (*open_reader)(dunlin_participant, const char *, const dunlin_reader_qos *, dunlin_reader *);
    int32_t (*write_all)(dunlin_writer, const char *);
    int32_t (*unregister_all)(dunlin_writer, const char *);
    int32_t (*take_all)(dunlin_reader, const char *);
} topic;

#define TOPIC(type, digit, ends)                                                                                       \
    {                                                                                                                  \
        #type "_" digit, ends, type##_open_writer, type##_open_reader, type##_write_all, type##_unregister_all,        \
            type##_take_all                                                                                            \
    }
#define TOPICS(module)                                                                                                 \
    TOPIC(module##_Flat, "1", 0), TOPIC(module##_Flat, "2", 0), TOPIC(module##_Many, "1", 0),                          \
        TOPIC(module##_Many, "2", 0), TOPIC(module##_Deep, "1", INSTANCES), TOPIC(module##_Deep, "2", INSTANCES)

static topic topics[] = { TOPICS(Finals), TOPICS(Appendables), TOPICS(Mutables) };
#define COUNT (sizeof topics / sizeof *topics)
/* How many of them take part. */
static size_t topic_count;

/* Leaves out those that MATRIX_WITHOUT names, with commas between them. */
static void choose_topics(void) {
    const char *without = getenv("MATRIX_WITHOUT");
    size_t i;
    for (i = 0; i < COUNT; i++) {
        if (without == NULL || strstr(without, topics[i].name) == NULL) topics[topic_count++] = topics[i];
    }
}

/* What has XCDR1 is written before anybody knows the writer, so its readers are late joiners. */
static bool is_late(const topic *t) { return t->name[strlen(t->name) - 1] == '1'; }

static int32_t publish(const char *from, int32_t readers) {
    dunlin_participant participant;
    dunlin_writer writers[COUNT];
    size_t i;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    for (i = 0; i < topic_count; i++) {
        dunlin_writer_qos qos;
        DUNLIN_TRY(dunlin_writer_qos_default(&qos));
        qos.representation = is_late(&topics[i]) ? DUNLIN_XCDR1 : DUNLIN_XCDR2;
        qos.durability = is_late(&topics[i]) ? DUNLIN_TRANSIENT_LOCAL : DUNLIN_VOLATILE;
        qos.history = DUNLIN_KEEP_ALL;
        qos.max_blocking_time = PATIENCE;
        qos.autodispose = 0;
        DUNLIN_TRY(topics[i].open_writer(participant, topics[i].name, &qos, &writers[i]));
    }
    for (i = 0; i < topic_count; i++) {
        if (is_late(&topics[i])) DUNLIN_TRY(topics[i].write_all(writers[i], from));
    }
    for (i = 0; i < topic_count; i++) DUNLIN_TRY(dunlin_writer_wait_for_matched(writers[i], readers, PATIENCE));
    for (i = 0; i < topic_count; i++) {
        if (!is_late(&topics[i])) DUNLIN_TRY(topics[i].write_all(writers[i], from));
    }
    /* Not before: late joiners do not hear of what is unregistered. */
    for (i = 0; i < topic_count; i++) DUNLIN_TRY(topics[i].unregister_all(writers[i], from));
    for (i = 0; i < topic_count; i++) DUNLIN_TRY(dunlin_writer_wait_for_acknowledgments(writers[i], PATIENCE));
    return dunlin_close(participant);
}

static int32_t subscribe(unsigned publishers) {
    dunlin_participant participant;
    dunlin_reader readers[COUNT];
    dunlin_waitset waits;
    unsigned wanted = 0;
    size_t i;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    for (i = 0; i < topic_count; i++) {
        dunlin_reader_qos qos;
        dunlin_condition data;
        DUNLIN_TRY(dunlin_reader_qos_default(&qos));
        qos.representations = 1 << (is_late(&topics[i]) ? DUNLIN_XCDR1 : DUNLIN_XCDR2);
        qos.durability = is_late(&topics[i]) ? DUNLIN_TRANSIENT_LOCAL : DUNLIN_VOLATILE;
        qos.reliability = DUNLIN_RELIABLE;
        qos.history = DUNLIN_KEEP_ALL;
        DUNLIN_TRY(topics[i].open_reader(participant, topics[i].name, &qos, &readers[i]));
        DUNLIN_TRY(dunlin_read_condition_new(readers[i], NULL, &data));
        DUNLIN_TRY(dunlin_waitset_attach(waits, data));
        wanted += publishers * (SAMPLES + topics[i].ends);
    }
    while (line_count < wanted) {
        const int32_t code = dunlin_waitset_wait(waits, PATIENCE, NULL, 0, NULL);
        if (code == DUNLIN_TIMEOUT) break;
        DUNLIN_TRY(code);
        for (i = 0; i < topic_count; i++) DUNLIN_TRY(topics[i].take_all(readers[i], topics[i].name));
    }
    if (length > 0) fwrite(lines, 1, length, stdout);
    free(lines);
    DUNLIN_TRY(dunlin_close(waits));
    DUNLIN_TRY(dunlin_close(participant));
    if (line_count >= wanted) return DUNLIN_OK;
    fprintf(stderr, "%u lines of %u came\n", line_count, wanted);
    return DUNLIN_TIMEOUT;
}

int main(int count, char **words) {
    int32_t code = DUNLIN_BAD_PARAMETER;
    choose_topics();
    if (count == 4 && strcmp(words[1], "publish") == 0 && strlen(words[2]) <= 8) {
        code = publish(words[2], atoi(words[3]));
    } else if (count == 3 && strcmp(words[1], "subscribe") == 0) {
        code = subscribe((unsigned)atoi(words[2]));
    } else {
        fprintf(stderr, "publish FROM READERS, or subscribe PUBLISHERS\n");
    }
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %.*s\n", dunlin_retcode_name(code), (int)why.length, why.data);
    }
    return code;
}
