    if (size > DUNLIN_CDR_APART_LEAST && (@SHARED@)) {
        dunlin_cdr_apart apart;
        int32_t code = DUNLIN_OK;
        uint8_t *payload = (uint8_t *)malloc(size);
        if (payload == NULL) return dunlin_typed_no_memory();
        if (Foo_cdr_write_apart(value, xcdr, payload, size, &apart, &fault)) {
            code = dunlin_typed_write_apart(writer, payload, size, &apart, options);
        } else {
            code = dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
        }
        free(payload);
        return code;
    }
