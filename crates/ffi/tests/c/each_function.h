/* Of the program that each_function.rs makes: what is right, what is wrong, and what has to come of it. */
#include <stdio.h>

#define KINDS 15
/* What follows the last wrong handle. */
#define END ((dunlin_handle)0xeeeeeeeeeeeeeeee)
#define OK(call) \
    do { \
        if ((call) != DUNLIN_OK) { \
            dunlin_text why_; \
            (void)dunlin_last_error(&why_); \
            fprintf(stderr, "line %d: %s\n", __LINE__, why_.data); \
            exit(1); \
        } \
    } while (0)

/* One of each kind that lives, and one of each that was closed. */
static dunlin_handle living[KINDS], closed[KINDS];
static unsigned long calls;
static int failed;

static void nothing(void *context) {
    (void)context;
}

static void no_line(void *context, uint32_t level, dunlin_text line) {
    (void)context;
    (void)level;
    (void)line;
}

static void open_all(dunlin_handle *of) {
    uint8_t *data;
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &of[1]));
    OK(dunlin_type_new(Position_type_objects, Position_type_objects_size, dunlin_text_of(NULL), &of[13]));
    OK(dunlin_topic_new(of[1], dunlin_text_of("Positions"), of[13], NULL, NULL, &of[2]));
    OK(dunlin_filtered_topic_new(of[2], dunlin_text_of("Few"), dunlin_text_of("bird = 1"), NULL, 0, &of[3]));
    OK(dunlin_publisher_new(of[1], NULL, NULL, &of[4]));
    OK(dunlin_subscriber_new(of[1], NULL, NULL, &of[5]));
    OK(dunlin_writer_new(of[4], of[2], NULL, NULL, &of[6]));
    OK(dunlin_reader_new(of[5], of[2], NULL, NULL, &of[7]));
    OK(dunlin_read_condition_new(of[7], NULL, &of[8]));
    OK(dunlin_query_condition_new(of[7], NULL, dunlin_text_of("bird = 1"), NULL, 0, &of[9]));
    OK(dunlin_status_condition(of[7], &of[10]));
    OK(dunlin_guard_new(&of[11]));
    OK(dunlin_waitset_new(&of[12]));
    OK(dunlin_octets_new(0, 8, &data, &of[14]));
    OK(dunlin_octets_seal(of[14]));
}

/* What has no parent is closed by itself. */
static void close_all(const dunlin_handle *of) {
    OK(dunlin_close(of[1]));
    OK(dunlin_close(of[11]));
    OK(dunlin_close(of[12]));
    OK(dunlin_close(of[13]));
    OK(dunlin_close(of[14]));
}

/* One of the numbers that are no handle of a kind (0: of any), and what has to be returned. */
static dunlin_handle handle(unsigned kind, unsigned at, int32_t *expected) {
    static const dunlin_handle noise[] = {0, ~(dunlin_handle)0, 1, (dunlin_handle)1 << 63, 0xffffffff};
    const unsigned noises = sizeof noise / sizeof *noise;
    *expected = DUNLIN_BAD_PARAMETER;
    if (at < noises) return noise[at];
    at -= noises;
    if (at < 64) {
        /* Another one's number, an old one's, or none. */
        *expected = -1;
        return living[kind == 0 ? 7 : kind] ^ (dunlin_handle)1 << at;
    }
    at -= 64;
    if (kind == 0) {
        *expected = DUNLIN_ALREADY_DELETED;
        return at + 1 < KINDS ? closed[at + 1] : END;
    }
    if (at == 0) {
        *expected = DUNLIN_ALREADY_DELETED;
        return closed[kind];
    }
    /* All that live, but this kind; conditions are of four kinds. */
    if (at < KINDS) {
        const int is_condition = kind == 8 && at >= 8 && at <= 11;
        return at == kind || is_condition ? noise[0] : living[at];
    }
    return END;
}

static void expect(const char *function, const char *argument, int32_t code, int32_t expected, int is_optional) {
    const int is_refused = code == DUNLIN_BAD_PARAMETER || code == DUNLIN_ALREADY_DELETED;
    calls++;
    if (code < DUNLIN_OK || code > DUNLIN_ILLEGAL_OPERATION
        || (!is_optional && (expected == -1 ? !is_refused : code != expected))) {
        dunlin_text why;
        (void)dunlin_last_error(&why);
        fprintf(stderr, "%s with a wrong %s: %s instead of %s: %s\n", function, argument, dunlin_retcode_name(code),
                expected == -1 ? "a refusal" : dunlin_retcode_name(expected), why.data);
        failed = 1;
    }
    if (s.dunlin_block_p[0].token != 0) OK(dunlin_block_free(&s.dunlin_block_p[0]));
}

static void each(void);

int main(void) {
    uint64_t count;
    OK(dunlin_set_log(DUNLIN_LOG_DEBUG, no_line, NULL));
    open_all(closed);
    close_all(closed);
    open_all(living);
    each();
    OK(dunlin_set_log(DUNLIN_LOG_NONE, NULL, NULL));
    /* All that lived still do. */
    close_all(living);
    OK(dunlin_shutdown());
    OK(dunlin_leaks(&count, NULL));
    if (failed) return 1;
    printf("%lu\n", calls);
    return 0;
}
