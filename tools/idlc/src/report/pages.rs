//! What each code means, for `dunlin idl explain`.

use super::{Code, codes};

/// A few lines about a code.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The code.
    pub code: Code,
    /// What it says.
    pub title: &'static str,
    /// What helps.
    pub text: &'static str,
}

/// The pages of all codes in their order.
pub fn pages() -> &'static [Page] {
    codes::PAGES
}

/// The page of a code; in lower case, too.
pub fn page(code: &str) -> Option<&'static Page> {
    let mut pages = codes::PAGES.iter();
    pages.find(|page| page.code.text().eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_code_has_one_page() {
        let codes: HashSet<&str> = pages().iter().map(|page| page.code.text()).collect();
        assert_eq!(codes.len(), pages().len());
        assert_eq!(page("e0607").unwrap().code, codes::CONTAINS_ITSELF);
        for page in pages() {
            assert!(
                !page.title.is_empty() && page.text.ends_with(['.', '"']),
                "{page:?}"
            );
        }
    }
}
