//! Keys, as zenoh itself understands them.
use crate::keys::{Keys, Token};
use zenoh::key_expr::KeyExpr;

const STRANGE: [&str; 12] = [
    "Square",
    "rt/cmd_vel",
    "/a",
    "a/",
    "a//b",
    "@a/@b",
    "a@b",
    "100%",
    "*$?#",
    "",
    "Größe \n",
    "/",
];

#[test]
fn names_become_keys() {
    let keys = Keys::new("yard/7");
    for topic in STRANGE {
        for partition in [vec![], vec!["A".to_owned()], vec!["@x/".to_owned()]] {
            let key = keys.data(&partition, topic);
            KeyExpr::new(key.clone()).unwrap();
            assert!(!key.contains("/@"), "{key}");
        }
    }
    assert_eq!(keys.data(&[], "rt/cmd_vel"), "yard%2F7/rt/cmd_vel");
    assert_eq!(keys.data(&["A".into()], "Square"), "yard%2F7/A/Square");
    assert_eq!(keys.data(&["A*".into()], "Square"), "yard%2F7/Square");
}

#[test]
fn no_wildcard_takes_the_end_of_an_instance_for_a_sample() {
    let keys = Keys::new("yard");
    let life = Keys::life(&keys.data(&[], "Square"));
    let all = KeyExpr::new("yard/**").unwrap();
    assert!(!all.intersects(&KeyExpr::new(life).unwrap()));
    let everything = KeyExpr::new("**").unwrap();
    for own in [keys.beat(Some("a1")), keys.claim(Some("a1"), "yard/7")] {
        assert!(!everything.intersects(&KeyExpr::new(own).unwrap()));
    }
    let tokens = KeyExpr::new(keys.tokens()).unwrap();
    let token = keys.token("a1", 7);
    assert_eq!(keys.parse_token(&token), Some(("a1", Token::Here(7))));
    for there in [
        &*token,
        "@dunlin/1/yard/here/a1/offer/Square/07",
        "@dunlin/3/yard/here/a1",
    ] {
        assert!(tokens.includes(&KeyExpr::new(there).unwrap()), "{there}");
    }
    for other in keys
        .queries("a1")
        .into_iter()
        .chain([keys.news(Some("a1"))])
    {
        assert!(
            !tokens.intersects(&KeyExpr::new(&other).unwrap()),
            "{other}"
        );
    }
    let claims = KeyExpr::new(keys.claim(None, "7")).unwrap();
    let of = |site| KeyExpr::new(keys.claim(Some("a1"), site)).unwrap();
    assert!(claims.includes(&of("7")) && !claims.intersects(&of("8")));
}
