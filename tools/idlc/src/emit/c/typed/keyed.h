static inline bool Foo_of_sample(dunlin_reader reader, const dunlin_sample *sample, Foo *value,
                                 bool (*read)(Foo *, const uint8_t *, size_t, dunlin_cdr_fault *),
                                 dunlin_cdr_fault *fault) {
    dunlin_block key;
    bool is_read;
    if (sample->info.valid_data) return read(value, sample->data, sample->length, fault);
    fault->code = DUNLIN_CDR_MEMORY;
    fault->where = "";
    if (!Foo_reset(value)) return false;
    if (sample->data != NULL) return Foo_key_read(value, sample->data, sample->length, fault);
    if (dunlin_reader_key(reader, sample->info.instance, &key) != DUNLIN_OK) return true;
    is_read = Foo_key_read(value, key.data, key.length, fault);
    (void)dunlin_block_free(&key);
    return is_read;
}
