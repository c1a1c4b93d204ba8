//! What this thread asks of the allocator.

/// How many bytes this thread asks for meanwhile.
pub fn allocated_by(f: impl FnOnce()) -> usize {
    let asked = allocation_counter::measure(f).bytes_total;
    usize::try_from(asked).unwrap()
}
