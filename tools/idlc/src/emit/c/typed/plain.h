
/*
 * Memory for a value that readers of this host see where it is. It holds whatever was there before.
 * `Foo_write_loan` or `dunlin_loan_discard` ends the loan, one of them once. DUNLIN_UNSUPPORTED: in
 * the writer's representation the value has to be encoded.
 */
static inline int32_t Foo_loan(dunlin_writer writer, dunlin_loan *loan, Foo **value) {
    const size_t size = 4 + ((sizeof(Foo) + 3) & ~(size_t)3);
    int32_t xcdr;
    if (value == NULL) return dunlin_typed_missing("value");
    DUNLIN_TRY(dunlin_writer_representation(writer, &xcdr));
    if (!(@IS_PLAIN@)) return dunlin_typed_not_plain(xcdr);
    DUNLIN_TRY(dunlin_loan_new(writer, size, DUNLIN_SHARED, loan));
    dunlin_typed_plain(loan->data, xcdr, sizeof(Foo));
    *value = (Foo *)(void *)(loan->data + 4);
    return DUNLIN_OK;
}

/* Writes the value of a loan, which is gone then. */
static inline int32_t Foo_write_loan(dunlin_writer writer, dunlin_loan *loan,
                                     dunlin_write_options *options) {
    return dunlin_loan_write(writer, loan, options);
}
