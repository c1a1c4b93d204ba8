//! A control: two sockets and nothing else, beside what is measured.
use crate::percentile;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it sends.
const PERIOD: Duration = Duration::from_millis(1);

/// A stamp of eight bytes, 1000 times a second, by TCP over loopback from one thread to another:
/// how late it comes says what the processors and the kernel do to anybody at that time.
pub struct Control {
    late: Receiver<i64>,
    /// The sender ends when this is dropped, and the receiver when the sender has.
    going: Option<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Control {
    /// Starts both threads.
    ///
    /// # Panics
    /// If loopback gives no connection.
    pub fn start() -> Self {
        Self::connect().expect("loopback has room for a connection")
    }

    fn connect() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut near = TcpStream::connect(listener.local_addr()?)?;
        let (mut far, _) = listener.accept()?;
        near.set_nodelay(true)?;
        let (going, stopped) = channel();
        let (note, late) = channel();
        let epoch = Instant::now();
        let now = move || epoch.elapsed().as_nanos() as u64;
        let sender = std::thread::spawn(move || {
            while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout)
                && near.write_all(&now().to_le_bytes()).is_ok()
            {}
        });
        let receiver = std::thread::spawn(move || {
            let mut stamp = [0; 8];
            while far.read_exact(&mut stamp).is_ok() {
                let _ = note.send((now() - u64::from_le_bytes(stamp)) as i64 / 1000);
            }
        });
        Ok(Self {
            late,
            going: Some(going),
            threads: vec![sender, receiver],
        })
    }

    /// The 99th percentile in microseconds since it was asked last.
    pub fn p99(&self) -> i64 {
        let mut late: Vec<_> = self.late.try_iter().collect();
        percentile(&mut late, 0.99)
    }
}

/// 99th percentiles in microseconds, of what is measured and of the control at the same time.
#[derive(Default)]
pub struct Figures {
    own: Vec<i64>,
    control: Vec<i64>,
}

impl Figures {
    /// Notes those of one interval.
    pub fn note(&mut self, own: i64, control: &Control) {
        self.own.push(own);
        self.control.push(control.p99());
    }

    /// The medians of the intervals, those of the control second.
    fn medians(&self) -> [i64; 2] {
        [&self.own, &self.control].map(|figures| percentile(&mut figures.clone(), 0.5))
    }

    /// Whether these, taken beside something, are at most twice those taken without it. By as much
    /// as it got worse for the control, the machine is to blame.
    ///
    /// # Errors
    /// Both, if they are not.
    pub fn judge(&self, undisturbed: &Self) -> Result<(), String> {
        let ([own, control], [before, control_before]) = (self.medians(), undisturbed.medians());
        let blame = (control as f64 / control_before.max(1) as f64).max(1.0);
        match own as f64 > 2.0 * blame * before as f64 {
            true => Err(format!("p99 {self}, undisturbed {undisturbed}")),
            false => Ok(()),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [own, control] = self.medians();
        write!(f, "{own} us (two sockets alone {control} us)")
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        drop(self.going.take());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
