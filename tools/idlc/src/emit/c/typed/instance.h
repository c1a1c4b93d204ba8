
/* The key of a value as a payload: `near`, or memory for `free`. NULL: `code` says why not. */
static inline uint8_t *Foo_key_payload(dunlin_writer writer, const Foo *value, uint8_t *near,
                                       size_t *size, int32_t *code) {
    dunlin_cdr_fault fault;
    uint8_t *key = near;
    int32_t xcdr;
    if (value == NULL) {
        *code = dunlin_typed_missing("value");
        return NULL;
    }
    *code = dunlin_writer_representation(writer, &xcdr);
    if (*code != DUNLIN_OK) return NULL;
    if (!Foo_key_size(value, xcdr, size, &fault)) {
        *code = dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
        return NULL;
    }
    if (*size > DUNLIN_NEAR) key = (uint8_t *)malloc(*size);
    if (key == NULL) {
        *code = dunlin_typed_no_memory();
    } else if (!Foo_key_write(value, xcdr, key, *size, &fault)) {
        *code = dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
        if (key != near) free(key);
        key = NULL;
    }
    return key;
}

/* Disposes the instance of a value, of which only the key counts. */
static inline int32_t Foo_dispose(dunlin_writer writer, const Foo *value,
                                  dunlin_write_options *options) {
    uint8_t near[DUNLIN_NEAR];
    int32_t code;
    size_t size;
    uint8_t *key = Foo_key_payload(writer, value, near, &size, &code);
    if (key == NULL) return code;
    code = dunlin_dispose(writer, key, size, options);
    if (key != near) free(key);
    return code;
}

/* Unregisters the instance of a value, of which only the key counts. */
static inline int32_t Foo_unregister(dunlin_writer writer, const Foo *value,
                                     dunlin_write_options *options) {
    uint8_t near[DUNLIN_NEAR];
    int32_t code;
    size_t size;
    uint8_t *key = Foo_key_payload(writer, value, near, &size, &code);
    if (key == NULL) return code;
    code = dunlin_unregister(writer, key, size, options);
    if (key != near) free(key);
    return code;
}

/* Says that the writer will write the instance of a value; `instance` has 16 bytes. */
static inline int32_t Foo_register(dunlin_writer writer, const Foo *value, uint8_t *instance) {
    uint8_t near[DUNLIN_NEAR];
    int32_t code;
    size_t size;
    uint8_t *key = Foo_key_payload(writer, value, near, &size, &code);
    if (key == NULL) return code;
    code = dunlin_register(writer, key, size, instance);
    if (key != near) free(key);
    return code;
}

/* The instance of a value, of 16 bytes. DUNLIN_NO_DATA if the writer or reader does not know it. */
static inline int32_t Foo_lookup(dunlin_handle entity, const Foo *value, uint8_t *instance) {
    dunlin_cdr_fault fault;
    uint8_t hash[16];
    if (value == NULL) return dunlin_typed_missing("value");
    if (instance == NULL) return dunlin_typed_missing("instance");
    if (!Foo_key_hash(value, hash, &fault)) {
        return dunlin_typed_failed(&fault, DUNLIN_BAD_PARAMETER);
    }
    DUNLIN_TRY(dunlin_typed_lookup(entity, hash));
    memcpy(instance, hash, sizeof hash);
    return DUNLIN_OK;
}

/*
 * The key of an instance of a writer or reader, of 16 bytes, into a value that was begun. All else
 * of it has its default. DUNLIN_NO_DATA: the instance is not known.
 */
static inline int32_t Foo_key_value(dunlin_handle entity, const uint8_t *instance, Foo *value) {
    dunlin_cdr_fault fault;
    dunlin_block key;
    bool is_read;
    if (value == NULL) return dunlin_typed_missing("value");
    if (!Foo_reset(value)) return dunlin_typed_no_memory();
    DUNLIN_TRY(dunlin_typed_key(entity, instance, &key));
    is_read = Foo_key_read(value, key.data, key.length, &fault);
    (void)dunlin_block_free(&key);
    return is_read ? DUNLIN_OK : dunlin_typed_failed(&fault, DUNLIN_ERROR);
}
