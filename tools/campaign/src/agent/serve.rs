//! The agent: waits for campaigns and runs their subscribers.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::channel::{Channel, ChannelError};
use super::secret::Secret;
use super::{Answer, Ask, allow};
use crate::record::Host;
use crate::side::{Local, Place, Program, Running, Task};

/// Callers at a time, most of which have not proved anything yet.
const CALLERS: usize = 8;

/// Between two looks at the door.
const LOOK: Duration = Duration::from_millis(20);

/// What an agent knows.
pub struct Agent {
    /// Of both sides.
    pub secret: Secret,
    /// How perftest is started here.
    pub local: Local,
    /// This machine.
    pub host: Host,
    /// Longest run.
    pub longest: Duration,
    /// The user wants to stop.
    pub stop: Arc<AtomicBool>,
    /// A campaign is here.
    pub busy: AtomicBool,
}

impl Agent {
    /// Serves until it is to stop; `say` gets a line for whatever happens.
    pub fn serve(&self, listener: &TcpListener, say: &(dyn Fn(String) + Sync)) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let callers = AtomicUsize::new(0);
        thread::scope(|scope| {
            while !self.stop.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((stream, from)) if callers.load(Ordering::Relaxed) < CALLERS => {
                        callers.fetch_add(1, Ordering::Relaxed);
                        let callers = &callers;
                        scope.spawn(move || {
                            let ended = self.hear(stream, from, say);
                            say(match ended {
                                Ok(()) => format!("{from}: is gone"),
                                Err(error) => format!("{from}: {error}"),
                            });
                            callers.fetch_sub(1, Ordering::Relaxed);
                        });
                    }
                    // One too many is hung up on; and what cannot be accepted now may be later.
                    _ => thread::sleep(LOOK),
                }
            }
        });
        Ok(())
    }

    fn hear(
        &self,
        stream: TcpStream,
        from: SocketAddr,
        say: &(dyn Fn(String) + Sync),
    ) -> Result<(), ChannelError> {
        stream
            .set_nonblocking(false)
            .map_err(ChannelError::Broken)?;
        let mut channel = Channel::answer(stream, &self.secret)?;
        if self.busy.swap(true, Ordering::AcqRel) {
            let reason = "it serves another campaign now; try again when that has ended";
            return channel.send(&Answer::Refused {
                reason: reason.into(),
            });
        }
        say(format!("{from}: a campaign begins"));
        let ended = self.campaign(&mut channel);
        self.busy.store(false, Ordering::Release);
        match ended {
            Err(ChannelError::Closed) => Ok(()),
            ended => ended,
        }
    }

    fn campaign(&self, channel: &mut Channel) -> Result<(), ChannelError> {
        channel.send(&Answer::Ready {
            version: env!("CARGO_PKG_VERSION").into(),
            host: self.host.clone(),
        })?;
        // Dropping it, on whatever way out, ends what runs.
        let mut run: Option<Run> = None;
        while !self.stop.load(Ordering::Relaxed) {
            match channel.poll()? {
                Some(Ask::Start {
                    id,
                    arguments,
                    seconds,
                }) => {
                    drop(run.take());
                    match self.start(id, arguments, seconds) {
                        Ok(started) => {
                            run = Some(started);
                            channel.send(&Answer::Started { id })?;
                        }
                        Err(reason) => channel.send(&Answer::Refused { reason })?,
                    }
                }
                Some(Ask::Stop { id }) => drop(run.take_if(|run| run.id == id)),
                None => thread::sleep(LOOK),
            }
            if let Some(answer) = run.as_mut().and_then(Run::answer) {
                run = None;
                channel.send(&answer)?;
            }
        }
        Ok(())
    }

    fn start(&self, id: u64, arguments: Vec<String>, seconds: f64) -> Result<Run, String> {
        allow::check(&arguments)?;
        let asked = Duration::try_from_secs_f64(seconds).unwrap_or(self.longest);
        let task = Task {
            program: Program::Perftest,
            arguments,
            environment: vec![],
            log: None,
        };
        let side = self.local.start(&task).map_err(|error| error.to_string())?;
        Ok(Run {
            id,
            side,
            until: Instant::now() + asked.min(self.longest),
        })
    }
}

/// A subscriber that runs.
struct Run {
    id: u64,
    side: Box<dyn Running>,
    until: Instant,
}

impl Run {
    /// What there is to say once it has ended, or must.
    fn answer(&mut self) -> Option<Answer> {
        let (output, failure) = match self.side.ended() {
            Ok(Some(ended)) => (ended.output, ended.failure),
            Ok(None) if Instant::now() < self.until => return None,
            Ok(None) => (String::new(), Some("it did not end in time".into())),
            Err(trouble) => (String::new(), Some(trouble.to_string())),
        };
        Some(Answer::Ended {
            id: self.id,
            output,
            failure,
        })
    }
}
