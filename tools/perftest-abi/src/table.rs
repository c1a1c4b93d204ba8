//! The table of a program as a `Driver`.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr::null;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use dunlin_perftest::driver::{
    Content, Counted, Driver, Endpoint, Header, Inbox, Losses, Plan, Progress, Refused, Settings,
    Topic,
};

use crate::DUNLIN_PERFTEST_VERSION;
use crate::text::{Texts, c_text};

const KEYED: u32 = 1;
const LARGE: u32 = 2;
const SUBSCRIBES: u32 = 4;
const ANSWERS_ALL: u32 = 8;
const FLAT: u32 = 16;
const ZERO_COPY: u32 = 32;
const CHECKS: u32 = 64;
const MULTICAST: u32 = 128;
const UDP: u32 = 256;
const SHMEM: u32 = 512;
const TCP: u32 = 1024;
const LOCAL: u32 = 2048;

const BEGINS: u32 = 1;
const ONE_AT_A_TIME: u32 = 2;
const PINGS: u32 = 4;
const PRACTICE: u32 = 8;

const SETTLES: u32 = 1;

const FAILURE: u32 = 0;
const DISCOVERY: u32 = 1;

/// `control`: the queue stayed full.
const FULL: i32 = 10;

/// Longest text of an explanation.
const TEXT: usize = 1 << 16;

/// See the header.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "the header says it")]
pub struct dunlin_perftest_settings {
    pub size: u32,
    pub flags: u32,
    pub domain: u32,
    pub subscriber: u32,
    pub publishers: u32,
    pub instances: u32,
    pub payload: u64,
    pub lease_duration: i64,
    pub announce_period: i64,
    pub heartbeat_period: i64,
    pub linger: i64,
    pub interfaces: *const *const c_char,
    pub interface_count: u64,
    pub peers: *const *const c_char,
    pub peer_count: u64,
    pub tls_authorities: *const c_char,
    pub tls_certificates: *const c_char,
    pub tls_key: *const c_char,
    pub tcp_public_address: u32,
    pub tcp_public_port: u16,
    pub tcp_port: u16,
    pub inbox: *const c_void,
}

/// See the header.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "the header says it")]
pub struct dunlin_perftest_endpoint {
    pub size: u32,
    pub topic: u32,
    pub reliable: u32,
    pub transient_local: u32,
    pub depth: u32,
    pub max_samples: u32,
    pub batch_bytes: u32,
    pub multicast: u32,
    pub max_blocking_time: i64,
    pub filter: *const c_char,
    pub parameters: *const *const c_char,
    pub parameter_count: u64,
}

/// See the header.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "the header says it")]
pub struct dunlin_perftest_plan {
    pub size: u32,
    pub flags: u32,
    pub payload: u64,
    pub samples: u64,
    pub until: u64,
    pub ping_timeout: u64,
    pub per_batch: u64,
    pub ping_every: u64,
    pub entity_id: i32,
    pub first_seq: u32,
    pub instance: i64,
    pub subscribers: u32,
    pub reserved: u32,
    pub ring: *const AtomicU64,
    pub ring_size: u64,
    pub taken: u64,
}

/// See the header.
#[repr(C)]
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "the header says it")]
pub struct dunlin_perftest_progress {
    pub sent: u64,
    pub pings: u64,
    pub answers: u64,
    pub lost: u64,
    pub late: u64,
    pub waiting: u32,
    pub blocked: u32,
}

/// See the header.
#[repr(C)]
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "the header says it")]
pub struct dunlin_perftest_traffic {
    pub packets: u64,
    pub bytes: u64,
    pub others: u64,
    pub echo_failures: u64,
    pub lost: i64,
    pub last_size: u32,
    pub expected: u32,
}

/// See the header.
#[repr(C)]
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "the header says it")]
pub struct dunlin_perftest_losses {
    pub dropped: u64,
    pub unsent: u64,
}

type Context = *mut c_void;

macro_rules! table {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)+) => {
        /// See the header.
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs, reason = "the header says it")]
        pub struct dunlin_perftest_driver {
            pub size: u32,
            pub version: u32,
            pub flags: u32,
            pub reserved: u32,
            pub language: *const c_char,
            pub context: Context,
            $(pub $name: Option<unsafe extern "C" fn(Context $(, $argument)*) $(-> $result)?>,)+
        }

        impl dunlin_perftest_driver {
            /// A function that is not there, of those that have to be.
            fn missing(&self) -> Option<&'static str> {
                let names = [$((stringify!($name), self.$name.is_none()),)+];
                let missing = names.into_iter().filter(|(_, missing)| *missing);
                missing
                    .map(|(name, _)| name)
                    .find(|name| *name != "allocations")
            }
        }
    };
}

table! {
    open: fn(*const dunlin_perftest_settings) -> i32;
    writer: fn(*const dunlin_perftest_endpoint) -> i32;
    reader: fn(*const dunlin_perftest_endpoint) -> i32;
    register_instances: fn(u32) -> i32;
    matched: fn(u32) -> u64;
    wait: fn(i64, u32) -> i32;
    wake: fn();
    control: fn(u32, *const Header, *const u8, u64) -> i32;
    flush: fn(u32) -> i32;
    measure: fn(*const dunlin_perftest_plan, *mut dunlin_perftest_progress) -> i32;
    attach: fn(u32, i32, u32);
    traffic: fn(u32, *mut dunlin_perftest_traffic);
    explain: fn(u32, *mut c_char, u64);
    losses: fn(*mut dunlin_perftest_losses);
    allocations: fn() -> u64;
    close: fn();
}

/// A table that is whole.
pub(crate) struct Table {
    driver: dunlin_perftest_driver,
    language: String,
    inbox: OnceLock<Arc<Inbox>>,
}

// SAFETY: the functions may be called on the threads that the header names, and the context goes
// to them alone.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Calls a function of the table; what is not there does nothing.
macro_rules! call {
    ($table:expr, $name:ident $(, $argument:expr)*) => {
        match $table.driver.$name {
            // SAFETY: the program says that the function is as in the header, and what it is given
            // lives during the call.
            Some(function) => unsafe { function($table.driver.context $(, $argument)*) },
            None => Default::default(),
        }
    };
}

impl Table {
    /// A table of the same version without gaps.
    ///
    /// # Safety
    /// `driver` is null or such a table as its size and version say.
    pub(crate) unsafe fn of(driver: *const dunlin_perftest_driver) -> Result<Self, String> {
        if driver.is_null() {
            return Err("dunlin_perftest_run: the driver is a null pointer".into());
        }
        // SAFETY: every version begins with these two.
        let (size, version) = unsafe { ((*driver).size, (*driver).version) };
        let wanted = size_of::<dunlin_perftest_driver>();
        if version != DUNLIN_PERFTEST_VERSION || (size as usize) < wanted {
            return Err(format!(
                "dunlin_perftest_run: the driver has version {version} and {size} bytes, and the library version \
                 {DUNLIN_PERFTEST_VERSION} and {wanted}: build the program with the header of this library"
            ));
        }
        // SAFETY: the size says that all of it is there.
        let driver = unsafe { *driver };
        if let Some(name) = driver.missing() {
            return Err(format!(
                "dunlin_perftest_run: the driver has no function {name}"
            ));
        }
        let language = match driver.language.is_null() {
            true => String::new(),
            // SAFETY: it is a text that ends with NUL.
            false => unsafe { CStr::from_ptr(driver.language) }
                .to_string_lossy()
                .into_owned(),
        };
        Ok(Self {
            driver,
            language,
            inbox: OnceLock::new(),
        })
    }

    fn explained(&self, what: u32) -> String {
        let mut text = vec![0u8; TEXT];
        let () = call!(self, explain, what, text.as_mut_ptr().cast(), TEXT as u64);
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(0);
        text.truncate(end);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn outcome(&self, code: i32) -> Result<(), String> {
        match code {
            0 => Ok(()),
            code => {
                let reason = self.explained(FAILURE);
                Err(match reason.is_empty() {
                    true => format!("return code {code}"),
                    false => reason,
                })
            }
        }
    }
}

impl Driver for Table {
    fn language(&self) -> &str {
        &self.language
    }

    fn settles(&self) -> bool {
        self.driver.flags & SETTLES != 0
    }

    fn open(&self, settings: &Settings, inbox: &Arc<Inbox>) -> Result<(), String> {
        let inbox = self.inbox.get_or_init(|| Arc::clone(inbox));
        let strings = |list: &[String]| Texts::of(list.iter().map(String::as_str));
        let (interfaces, peers) = (strings(&settings.interfaces), strings(&settings.peers));
        let path = |path: &Path| c_text(&path.to_string_lossy());
        let tls = settings.tls.as_ref();
        let tls = tls.map(|files| files.each_ref().map(|file| path(file)));
        let [authorities, certificates, key] = match &tls {
            Some(files) => files.each_ref().map(|file| file.as_ptr()),
            None => [null(); 3],
        };
        let flags = [
            (settings.keyed, KEYED),
            (settings.large, LARGE),
            (settings.subscriber.is_some(), SUBSCRIBES),
            (settings.answers_all, ANSWERS_ALL),
            (settings.flat, FLAT),
            (settings.zero_copy, ZERO_COPY),
            (settings.check_consistency, CHECKS),
            (settings.multicast, MULTICAST),
            (settings.udp, UDP),
            (settings.shmem, SHMEM),
            (settings.tcp, TCP),
            (settings.local, LOCAL),
        ];
        let public = settings.tcp_public;
        let given = dunlin_perftest_settings {
            size: size_of::<dunlin_perftest_settings>() as u32,
            flags: of_flags(&flags),
            domain: settings.domain,
            subscriber: settings.subscriber.unwrap_or(0),
            publishers: settings.publishers,
            instances: settings.instances,
            payload: settings.payload as u64,
            lease_duration: nanoseconds(settings.lease_duration),
            announce_period: nanoseconds(settings.announce_period),
            heartbeat_period: nanoseconds(settings.heartbeat_period),
            linger: nanoseconds(settings.linger),
            interfaces: interfaces.places(),
            interface_count: interfaces.count(),
            peers: peers.places(),
            peer_count: peers.count(),
            tls_authorities: authorities,
            tls_certificates: certificates,
            tls_key: key,
            tcp_public_address: public.map_or(0, |at| at.ip().to_bits()),
            tcp_public_port: public.map_or(0, |at| at.port()),
            tcp_port: settings.tcp_port,
            inbox: Arc::as_ptr(inbox).cast(),
        };
        self.outcome(call!(self, open, &given))
    }

    fn writer(&self, endpoint: &Endpoint) -> Result<(), String> {
        with_endpoint(endpoint, |given| self.outcome(call!(self, writer, given)))
    }

    fn reader(&self, endpoint: &Endpoint) -> Result<(), String> {
        with_endpoint(endpoint, |given| self.outcome(call!(self, reader, given)))
    }

    fn register(&self, topic: Topic) -> Result<(), String> {
        self.outcome(call!(self, register_instances, topic as u32))
    }

    fn matched(&self, topic: Topic) -> usize {
        let count: u64 = call!(self, matched, topic as u32);
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    fn wait(&self, timeout: u64, receives: bool) -> Result<(), String> {
        self.outcome(call!(self, wait, nanoseconds(timeout), receives.into()))
    }

    fn wake(&self) {
        call!(self, wake)
    }

    fn control(&self, topic: Topic, header: &Header, content: Content<'_>) -> Result<(), Refused> {
        let (data, length) = match content {
            Content::Octets(octets) => (octets.as_ptr(), octets.len()),
            Content::Payload(length) => (null(), length),
        };
        match call!(self, control, topic as u32, header, data, length as u64) {
            FULL => Err(Refused::Full),
            code => self.outcome(code).map_err(Refused::Failed),
        }
    }

    fn flush(&self, topic: Topic) {
        // What cannot be sent is missing on the other side, which tells.
        let _: i32 = call!(self, flush, topic as u32);
    }

    fn measure(&self, plan: &Plan<'_>) -> Result<Progress, String> {
        let flags = [
            (plan.begins, BEGINS),
            (plan.one_at_a_time, ONE_AT_A_TIME),
            (plan.pings, PINGS),
            (plan.practice, PRACTICE),
        ];
        let given = dunlin_perftest_plan {
            size: size_of::<dunlin_perftest_plan>() as u32,
            flags: of_flags(&flags),
            payload: plan.payload as u64,
            samples: plan.samples,
            until: plan.until,
            ping_timeout: plan.ping_timeout,
            per_batch: plan.per_batch,
            ping_every: plan.ping_every,
            entity_id: plan.entity_id,
            first_seq: plan.first_seq,
            instance: plan.instance.map_or(-1, i64::from),
            subscribers: plan.subscribers,
            reserved: 0,
            ring: plan.ring.as_ptr(),
            ring_size: plan.ring.len() as u64,
            taken: plan.taken,
        };
        let mut done = dunlin_perftest_progress::default();
        self.outcome(call!(self, measure, &given, &mut done))?;
        Ok(Progress {
            sent: done.sent,
            pings: done.pings,
            answers: done.answers,
            lost: done.lost,
            late: done.late,
            waiting: done.waiting != 0,
            blocked: done.blocked != 0,
        })
    }

    fn attach(&self, publisher: u32, entity_id: i32, next_seq: u32) {
        call!(self, attach, publisher, entity_id, next_seq)
    }

    fn traffic(&self, publisher: u32) -> Counted {
        let mut counted = dunlin_perftest_traffic::default();
        let () = call!(self, traffic, publisher, &mut counted);
        Counted {
            packets: counted.packets,
            bytes: counted.bytes,
            others: counted.others,
            echo_failures: counted.echo_failures,
            lost: counted.lost,
            size: counted.last_size,
            expected: counted.expected,
        }
    }

    fn explain(&self) -> String {
        self.explained(DISCOVERY)
    }

    fn losses(&self) -> Losses {
        let mut losses = dunlin_perftest_losses::default();
        let () = call!(self, losses, &mut losses);
        Losses {
            dropped: losses.dropped,
            unsent: losses.unsent,
        }
    }

    fn allocations(&self) -> Option<u64> {
        self.driver.allocations?;
        Some(call!(self, allocations))
    }

    fn close(&self) {
        call!(self, close)
    }
}

fn of_flags(flags: &[(bool, u32)]) -> u32 {
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    set.fold(0, |all, (_, flag)| all | flag)
}

fn nanoseconds(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

fn with_endpoint<R>(
    endpoint: &Endpoint,
    then: impl FnOnce(*const dunlin_perftest_endpoint) -> R,
) -> R {
    let filter = endpoint.filter.as_ref();
    let expression = filter.map(|(expression, _)| c_text(expression));
    let parameters = filter.map_or(&[][..], |(_, parameters)| parameters);
    let parameters = Texts::of(parameters.iter().map(String::as_str));
    then(&dunlin_perftest_endpoint {
        size: size_of::<dunlin_perftest_endpoint>() as u32,
        topic: endpoint.topic as u32,
        reliable: endpoint.reliable.into(),
        transient_local: endpoint.transient_local.into(),
        depth: endpoint.depth.unwrap_or(0),
        max_samples: endpoint.max_samples.unwrap_or(0),
        batch_bytes: endpoint.batch_bytes,
        multicast: endpoint.multicast.map_or(0, |group| group.to_bits()),
        max_blocking_time: nanoseconds(endpoint.max_blocking),
        filter: expression.as_ref().map_or(null(), |text| text.as_ptr()),
        parameters: parameters.places(),
        parameter_count: parameters.count(),
    })
}
