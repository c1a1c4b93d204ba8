//! What this thread asks of the allocator.

/// How many bytes this thread asks for meanwhile.
pub fn allocated_by(f: impl FnOnce()) -> usize {
    let asked = allocation_counter::measure(f).bytes_total;
    usize::try_from(asked).unwrap()
}

/// The most bytes that this thread holds at any moment meanwhile, beyond those that it held before.
pub fn peak_of(f: impl FnOnce()) -> usize {
    let most = allocation_counter::measure(f).bytes_max;
    usize::try_from(most).unwrap()
}
