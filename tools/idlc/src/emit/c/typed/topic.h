
/*
 * Topics of this type. The functions return DUNLIN_OK or another code of dunlin.h; then
 * `dunlin_last_error` says why.
 */
static inline int32_t Foo_topic(dunlin_participant participant, const char *name,
                                const dunlin_topic_qos *qos, dunlin_topic *topic) {
    return dunlin_typed_topic(participant, name, Foo_type_objects, Foo_type_objects_size, qos,
                              topic);
}

/* A writer of a topic of this type. `parent` is a participant or a publisher. */
static inline int32_t Foo_writer(dunlin_handle parent, dunlin_topic topic,
                                 const dunlin_writer_qos *qos, const dunlin_listener *listener,
                                 dunlin_writer *writer) {
    DUNLIN_TRY(dunlin_typed_check(topic, Foo_type_objects, Foo_type_objects_size));
    return dunlin_writer_new(parent, topic, qos, listener, writer);
}

/* A reader of a topic of this type, or of a part of one. `parent` is a participant or a subscriber. */
static inline int32_t Foo_reader(dunlin_handle parent, dunlin_topic topic,
                                 const dunlin_reader_qos *qos, const dunlin_listener *listener,
                                 dunlin_reader *reader) {
    DUNLIN_TRY(dunlin_typed_check(topic, Foo_type_objects, Foo_type_objects_size));
    return dunlin_reader_new(parent, topic, qos, listener, reader);
}

/* Writes a value. `options` may be NULL. */
static inline int32_t Foo_write(dunlin_writer writer, const Foo *value,
                                dunlin_write_options *options) {
    uint8_t near[DUNLIN_NEAR];
    dunlin_loan loan;
    dunlin_cdr_fault fault;
    int32_t xcdr;
    size_t size;
    if (value == NULL) return dunlin_typed_missing("value");
    DUNLIN_TRY(dunlin_writer_representation(writer, &xcdr));
    if (!Foo_cdr_size(value, xcdr, &size, &fault)) {
        return dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
    }
    if (size <= sizeof near) {
        if (!Foo_cdr_write(value, xcdr, near, size, &fault)) {
            return dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
        }
        return dunlin_write(writer, near, size, options);
    }
@APART@
    DUNLIN_TRY(dunlin_loan_new(writer, size, 0, &loan));
    if (!Foo_cdr_write(value, xcdr, loan.data, size, &fault)) {
        (void)dunlin_loan_discard(writer, &loan);
        return dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
    }
    return dunlin_loan_write(writer, &loan, options);
}

/*
 * Samples of a reader: `data[i]` is the value of `samples[i]`, whose `info` tells the rest. Begin it
 * with zeros, use it for one take after the other, and end it by `Foo_batch_free`.
 */
typedef struct Foo_batch {
    uint64_t count;
    Foo *data;
    dunlin_reader reader;
    dunlin_sample samples[DUNLIN_BATCH];
} Foo_batch;

@OF_SAMPLE@
static inline int32_t Foo_fill(dunlin_getter get, dunlin_reader reader,
                               const dunlin_select *select, Foo_batch *batch) {
    dunlin_cdr_fault fault;
    int32_t code = DUNLIN_OK;
    uint64_t at = 0;
    if (batch == NULL) return dunlin_typed_missing("batch");
    if (batch->data == NULL) {
        batch->data = (Foo *)calloc(DUNLIN_BATCH, sizeof *batch->data);
        if (batch->data == NULL) return dunlin_typed_no_memory();
    }
    DUNLIN_TRY(dunlin_typed_fill(get, reader, select, batch->samples, &batch->reader,
                                 &batch->count));
    while (at < batch->count) {
        if (Foo_of_sample(reader, &batch->samples[at], &batch->data[at], Foo_@READ@, &fault)) {
            at++;
        } else {
            dunlin_typed_drop(reader, batch->samples, &batch->count, at, &fault);
            code = dunlin_typed_failed(&fault, DUNLIN_ERROR);
        }
    }
    return batch->count > 0 ? DUNLIN_OK : code;
}

/*
 * Takes samples out of a reader, DUNLIN_BATCH at most. `select` may be NULL. DUNLIN_NO_DATA: there is
 * none. A payload that cannot be decoded is left out, and is an error if nothing else was there.
 */
static inline int32_t Foo_take(dunlin_reader reader, const dunlin_select *select,
                               Foo_batch *batch) {
    return Foo_fill(dunlin_take, reader, select, batch);
}

/* The same, and the samples stay in the reader. */
static inline int32_t Foo_read(dunlin_reader reader, const dunlin_select *select,
                               Foo_batch *batch) {
    return Foo_fill(dunlin_read, reader, select, batch);
}

/* Gives the samples of a batch back before the next take or read does. */
static inline int32_t Foo_give_back(Foo_batch *batch) {
    const uint64_t count = batch->count;
    batch->count = 0;
    return count == 0 ? DUNLIN_OK : dunlin_give_back(batch->reader, batch->samples, count);
}

/* The same, and ends its memory. */
static inline void Foo_batch_free(Foo_batch *batch) {
    size_t at;
    (void)Foo_give_back(batch);
    for (at = 0; batch->data != NULL && at < DUNLIN_BATCH; at++) Foo_free(&batch->data[at]);
    free(batch->data);
    batch->data = NULL;
}

static inline int32_t Foo_next(dunlin_getter get, dunlin_reader reader, Foo *value,
                               dunlin_sample_info *info) {
    dunlin_sample sample;
    dunlin_cdr_fault fault;
    bool is_read;
    if (value == NULL) return dunlin_typed_missing("value");
    DUNLIN_TRY(dunlin_typed_next(get, reader, &sample));
    if (info != NULL) *info = sample.info;
    is_read = Foo_of_sample(reader, &sample, value, Foo_cdr_read, &fault);
    if (!is_read) {
        dunlin_typed_reject(reader, &sample, &fault);
        return dunlin_typed_failed(&fault, DUNLIN_ERROR);
    }
    return dunlin_give_back(reader, &sample, 1);
}

/*
 * Takes one sample that was not read before into a value that was begun. `info` may be NULL; without
 * its `valid_data` the sample is the end of the instance, and the value has no more than its key.
 */
static inline int32_t Foo_take_next(dunlin_reader reader, Foo *value, dunlin_sample_info *info) {
    return Foo_next(dunlin_take, reader, value, info);
}

/* The same, and the sample stays in the reader. */
static inline int32_t Foo_read_next(dunlin_reader reader, Foo *value, dunlin_sample_info *info) {
    return Foo_next(dunlin_read, reader, value, info);
}
