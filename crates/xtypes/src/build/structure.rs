//! Structures, member by member.

use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::{AutoId, TypeTreeBuilder, hash_id, sorted};
use crate::annotations::annotated;
use crate::tree::{Front, Node, Structure};
use crate::{Annotations, Element, Member, TryConstruct, TypeIndex};

/// Members of a structure, one after the other. What is said after [`member`](Self::member) is
/// about that member.
#[derive(Debug)]
#[must_use = "`finish` adds it"]
pub struct StructureBuilder<'b> {
    pub(super) types: &'b mut TypeTreeBuilder,
    pub(super) index: TypeIndex,
    pub(super) extensibility: Extensibility,
    pub(super) base: Option<TypeIndex>,
    pub(super) auto_id: AutoId,
    pub(super) is_nested: bool,
    pub(super) next: u32,
    pub(super) members: Vec<Member>,
}

impl StructureBuilder<'_> {
    /// Its base; to be said before the first member.
    pub fn base(mut self, base: TypeIndex) -> Self {
        self.base = Some(base);
        self.next = self.types.first_id(base);
        self
    }

    /// Where ids come from; to be said before the first member.
    pub fn auto_id(mut self, auto_id: AutoId) -> Self {
        self.auto_id = auto_id;
        self
    }

    /// `@nested`: no topic is of it.
    pub fn nested(mut self) -> Self {
        self.is_nested = true;
        self
    }

    /// Adds a member.
    pub fn member(mut self, name: &str, element: impl Into<Element>) -> Self {
        let id = match self.auto_id {
            AutoId::Sequential => self.next,
            AutoId::Hash => hash_id(name),
        };
        self.next = id.saturating_add(1);
        self.members.push(Member {
            name: name.into(),
            id,
            element: element.into(),
            is_key: false,
            is_optional: false,
            must_understand: false,
            annotations: None,
        });
        self
    }

    pub(crate) fn whole_member(mut self, member: Member) -> Self {
        self.next = member.id.saturating_add(1);
        self.members.push(member);
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Member)) -> Self {
        if let Some(member) = self.members.last_mut() {
            change(member);
            self.next = member.id.saturating_add(1);
        }
        self
    }

    /// `@id`.
    pub fn id(self, id: u32) -> Self {
        self.last(|member| member.id = id)
    }

    /// `@hashid`, with the name of the member or another text.
    pub fn hash_id(self, text: Option<&str>) -> Self {
        self.last(|member| member.id = hash_id(text.unwrap_or(&member.name)))
    }

    /// `@key`.
    pub fn key(self) -> Self {
        self.last(|member| member.is_key = true)
    }

    /// `@optional`.
    pub fn optional(self) -> Self {
        self.last(|member| member.is_optional = true)
    }

    /// `@must_understand`.
    pub fn must_understand(self) -> Self {
        self.last(|member| member.must_understand = true)
    }

    /// `@external`.
    pub fn external(self) -> Self {
        self.last(|member| member.element.is_external = true)
    }

    /// `@try_construct`.
    pub fn try_construct(self, rule: TryConstruct) -> Self {
        self.last(|member| member.element.try_construct = rule)
    }

    /// Other annotations. What `hash_id` of it says about the id is said by
    /// [`hash_id`](Self::hash_id), too.
    pub fn annotations(self, annotations: Annotations) -> Self {
        self.last(|member| member.annotations = annotated(annotations))
    }

    /// Adds the structure.
    pub fn finish(self) -> TypeIndex {
        let members = self.members;
        let ids = members.iter().map(|member| member.id);
        let by_id = sorted(ids);
        let mut by_name: Vec<u32> = (0..members.len() as u32).collect();
        by_name.sort_by_key(|index| members.get(*index as usize).map(|m| &m.name));
        let (extensibility, is_nested, base) = (self.extensibility, self.is_nested, self.base);
        let has_hashed_ids = self.auto_id == AutoId::Hash;
        self.types.define(self.index, |name| {
            Node::Structure(Structure {
                front: Front::default(),
                name,
                extensibility,
                is_nested,
                has_hashed_ids,
                base,
                has_key: members.iter().any(|member| member.is_key),
                members: members.into(),
                by_id,
                by_name: by_name.into(),
            })
        });
        self.index
    }
}
