static inline bool Foo_of_sample(dunlin_reader reader, const dunlin_sample *sample, Foo *value,
                                 bool (*read)(Foo *, const uint8_t *, size_t, dunlin_cdr_fault *),
                                 dunlin_cdr_fault *fault) {
    (void)reader;
    if (sample->info.valid_data) return read(value, sample->data, sample->length, fault);
    fault->code = DUNLIN_CDR_MEMORY;
    fault->where = "";
    return Foo_reset(value);
}
