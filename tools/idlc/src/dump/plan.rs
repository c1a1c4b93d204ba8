//! Codec plans for programs: `docs/codec-plan.md` says what is what.

use dunlin_xtypes::{DynamicType, KeyPlan, TypeIndex, TypeKind};
use serde_json::{Map, Value, json};

use super::Selection;
use crate::model::Model;
use crate::plan::{
    Case, Count, Field, Form, Header, Member, Part, Plan, Presence, Routine, RoutineId, Step,
};

/// How values of the types are written, and of those that they call: routines of steps, as JSON.
pub fn plan(model: &Model, selection: &Selection) -> String {
    let entries = model.types.iter();
    let wanted = entries.filter(|entry| selection.has(model, entry));
    let plan = Plan::new(&model.tree, wanted.map(|entry| entry.index));
    let mut types: Vec<TypeIndex> = plan.routines().map(|(id, _)| id.ty).collect();
    types.dedup();
    let types = types.into_iter().filter_map(|index| model.tree.get(index));
    let types: Vec<Value> = types.map(|ty| described(&plan, &ty)).collect();
    format!("{:#}\n", json!({ "types": types }))
}

fn described(plan: &Plan, ty: &DynamicType) -> Value {
    let routines = plan.routines_of(ty.index());
    let routines: Vec<Value> = routines.map(|(id, of)| routine(plan, *id, of)).collect();
    let mut object = object(&json!({
        "name": ty.name(),
        "kind": ty.kind().name(),
        "plain": {
            "xcdr1": plan.is_plain(ty, Form::Xcdr1),
            "xcdr2": plan.is_plain(ty, Form::Xcdr2),
        },
        "routines": routines,
    }));
    if ty.kind() == TypeKind::Structure && ty.has_key() {
        let id = RoutineId {
            ty: ty.index(),
            form: Form::KeyHash,
            part: Part::Key,
        };
        let most = plan.routine(id).and_then(|routine| routine.max_size);
        // `KeyPlan` counts the members of elements by id, which are written as they are declared.
        let fits = KeyPlan::new(ty).fits_hash() && most.is_some_and(|most| most <= 16);
        object.insert("key_fits_hash".into(), fits.into());
    }
    Value::Object(object)
}

fn routine(plan: &Plan, id: RoutineId, of: &Routine) -> Value {
    let mut object = object(&json!({
        "form": id.form.name(),
        "part": id.part.name(),
        "max_size": of.max_size,
        "aligned": steps(plan, &of.aligned),
    }));
    if of.anywhere != of.aligned {
        object.insert("anywhere".into(), steps(plan, &of.anywhere));
    }
    Value::Object(object)
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn name(plan: &Plan, index: TypeIndex) -> String {
    let ty = plan.tree().get(index);
    ty.map_or_else(String::new, |ty| ty.name().to_string())
}

fn steps(plan: &Plan, all: &[Step]) -> Value {
    all.iter().map(|one| step(plan, one)).collect()
}

fn step(plan: &Plan, of: &Step) -> Value {
    match of {
        Step::Run(run) => {
            let fields: Vec<Value> = run.fields.iter().map(|of| field(plan, of)).collect();
            json!({"step": "run", "align": run.align, "size": run.size, "fields": fields})
        }
        Step::Text {
            path,
            is_wide,
            bound,
        } => {
            let word = if *is_wide { "wstring" } else { "string" };
            json!({"step": word, "path": path, "bound": bound})
        }
        Step::Loop {
            path,
            count,
            is_map,
            elements,
            stride,
        } => {
            let mut all = object(&json!({
                "step": "loop",
                "path": path,
                "map": is_map,
                "stride": stride,
                "elements": steps(plan, elements),
            }));
            match count {
                Count::Fixed(count) => all.insert("count".into(), (*count).into()),
                Count::Length { bound } => all.insert("bound".into(), (*bound).into()),
            };
            Value::Object(all)
        }
        Step::Delimited { content, steps: of } => {
            json!({"step": "delimited", "content": content, "steps": steps(plan, of)})
        }
        Step::ParameterList { steps: of } => {
            json!({"step": "parameter_list", "steps": steps(plan, of)})
        }
        Step::Member(of) => member(plan, of),
        Step::Optional {
            presence,
            path,
            steps: of,
        } => {
            let presence = match presence {
                Presence::Flag => json!("flag"),
                Presence::Parameter {
                    id,
                    must_understand,
                } => json!({"id": id, "must_understand": must_understand}),
            };
            json!({
                "step": "optional",
                "path": path,
                "presence": presence,
                "steps": steps(plan, of),
            })
        }
        Step::External { path, steps: of } => {
            json!({"step": "external", "path": path, "steps": steps(plan, of)})
        }
        Step::Switch { cases } => {
            let cases: Vec<Value> = cases.iter().map(|of| case(plan, of)).collect();
            json!({"step": "switch", "path": "_d", "cases": cases})
        }
        Step::Call {
            path,
            to,
            is_aligned,
        } => json!({
            "step": "call",
            "path": path,
            "type": name(plan, to.ty),
            "part": to.part.name(),
            "entry": if *is_aligned { "aligned" } else { "anywhere" },
        }),
    }
}

fn field(plan: &Plan, of: &Field) -> Value {
    let mut all = object(&json!({
        "at": of.at,
        "path": of.path,
        "kind": of.kind.name(),
        "size": of.size,
        "count": of.count,
    }));
    if of.kind.size().is_none() {
        all.insert("type".into(), name(plan, of.ty).into());
    }
    Value::Object(all)
}

fn member(plan: &Plan, of: &Member) -> Value {
    let header = match of.header {
        Header::Parameter => json!("parameter"),
        Header::Labelled { length_code } => json!({ "length_code": length_code }),
    };
    json!({
        "step": "member",
        "path": of.path,
        "id": of.id,
        "must_understand": of.must_understand,
        "optional": of.is_optional,
        "header": header,
        "content": of.content,
        "steps": steps(plan, &of.steps),
    })
}

fn case(plan: &Plan, of: &Case) -> Value {
    json!({"labels": of.labels, "default": of.is_default, "steps": steps(plan, &of.steps)})
}
