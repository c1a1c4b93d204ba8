//! The campaign's view of an agent: a place where a side runs.

use std::cell::{Cell, RefCell};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::rc::Rc;
use std::time::Duration;

use super::channel::{Channel, ChannelError};
use super::secret::Secret;
use super::{Answer, Ask};
use crate::record::Host;
use crate::side::{Ended, Place, Program, Running, Task};
use crate::systems::Trouble;

/// Longest wait for an agent to pick up.
const PATIENCE: Duration = Duration::from_secs(10);

/// An agent that is ours for this campaign.
pub struct Remote {
    line: Rc<RefCell<Channel>>,
    name: Rc<str>,
    next: Cell<u64>,
    /// Longest run.
    limit: f64,
    /// The agent's machine.
    pub host: Host,
    /// The addresses by which this host and the agent reach each other.
    pub addresses: [Ipv4Addr; 2],
}

impl Remote {
    /// Calls an agent. The error is for the user.
    pub fn call(to: &str, secret: &Secret, limit: f64) -> Result<Self, String> {
        let failed = |what: &dyn std::fmt::Display| format!("the agent at {to}: {what}");
        let stream = connect(to).map_err(|error| failed(&error))?;
        let addresses = addresses(&stream).map_err(|error| failed(&error))?;
        let mut line = Channel::call(stream, secret).map_err(|error| failed(&error))?;
        match line.wait().map_err(|error| failed(&error))? {
            Answer::Ready { host, .. } => Ok(Self {
                line: Rc::new(RefCell::new(line)),
                name: to.into(),
                next: Cell::new(0),
                limit,
                host,
                addresses,
            }),
            Answer::Refused { reason } => Err(failed(&reason)),
            other => Err(failed(&format!("it said {other:?} instead of a greeting"))),
        }
    }

    fn gone(&self, error: &ChannelError) -> Trouble {
        gone(&self.name, error)
    }
}

impl Place for Remote {
    fn start(&self, task: &Task) -> Result<Box<dyn Running>, Trouble> {
        if task.program != Program::Perftest || !task.environment.is_empty() {
            let reason = "an agent runs perftest only";
            return Err(Trouble::Failed(reason.into()));
        }
        let id = self.next.get();
        self.next.set(id + 1);
        let mut line = self.line.borrow_mut();
        let ask = Ask::Start {
            id,
            arguments: task.arguments.clone(),
            seconds: self.limit,
        };
        line.send(&ask).map_err(|error| self.gone(&error))?;
        loop {
            match line.wait().map_err(|error| self.gone(&error))? {
                Answer::Started { id: started } if started == id => break,
                Answer::Refused { reason } => return Err(Trouble::Failed(reason)),
                // The end of a run that nobody waited for.
                _ => {}
            }
        }
        Ok(Box::new(Run {
            line: Rc::clone(&self.line),
            name: Rc::clone(&self.name),
            id,
            over: false,
        }))
    }
}

/// A run at an agent.
struct Run {
    line: Rc<RefCell<Channel>>,
    name: Rc<str>,
    id: u64,
    over: bool,
}

impl Running for Run {
    fn ended(&mut self) -> Result<Option<Ended>, Trouble> {
        let answer = self.line.borrow_mut().poll();
        match answer.map_err(|error| gone(&self.name, &error))? {
            Some(Answer::Ended {
                id,
                output,
                failure,
            }) if id == self.id => {
                self.over = true;
                Ok(Some(Ended { output, failure }))
            }
            _ => Ok(None),
        }
    }

    fn release(&mut self) {}
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.over {
            // If it does not hear us any more, it ends the run for that reason.
            let _ = self.line.borrow_mut().send(&Ask::Stop { id: self.id });
        }
    }
}

fn gone(name: &str, error: &ChannelError) -> Trouble {
    Trouble::Unreachable(format!("the agent at {name} is gone: {error}"))
}

fn connect(to: &str) -> Result<TcpStream, String> {
    let found = to.to_socket_addrs().map_err(|error| {
        format!("{error}; it is named ADDRESS:PORT, for instance 10.0.0.2:7450")
    })?;
    let mut v4 = found.filter(SocketAddr::is_ipv4);
    let address = v4.next().ok_or("it has no IPv4 address")?;
    TcpStream::connect_timeout(&address, PATIENCE).map_err(|error| {
        format!("{error}; is `perftest agent --listen {address} --secret-file FILE` running there?")
    })
}

fn addresses(stream: &TcpStream) -> Result<[Ipv4Addr; 2], String> {
    let v4 = |address: std::io::Result<SocketAddr>| match address.map(|address| address.ip()) {
        Ok(IpAddr::V4(address)) => Ok(address),
        Ok(IpAddr::V6(_)) => Err("it was reached by IPv6, and a campaign uses IPv4".to_string()),
        Err(error) => Err(error.to_string()),
    };
    Ok([v4(stream.local_addr())?, v4(stream.peer_addr())?])
}
