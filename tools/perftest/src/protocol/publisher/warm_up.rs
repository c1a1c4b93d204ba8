//! Before the clock starts: every instance and both directions are used once, and the caches are
//! warm.

use bytes::Bytes;

use super::super::burst;
use super::super::control::{Kind, header};
use super::super::keys::Keys;
use super::Publisher;
use crate::clock::{MILLISECOND, NEVER, SECOND, monotonic};
use crate::messaging::{Messaging, Publish};

/// Warm-up samples under way at a time.
const WINDOW: u64 = 32;

/// Payload of the warm-up burst, which is about instances, not about size.
const BURST_PAYLOAD: usize = 1_024;

impl<M: Messaging> Publisher<'_, M> {
    /// Touches every instance in both directions, then sends pings of full size. Nothing of it is
    /// measured.
    pub(super) fn warm_up(&mut self) -> Result<(), String> {
        self.writer
            .register_instances(self.session.options.instances)
            .map_err(|error| format!("registering the instances: {error}"))?;
        let burst = burst(self.session.options, self.options);
        self.session
            .log
            .line(format!("Sending {burst} initialization pings ..."));
        let give_up = monotonic() + self.session.bounds.warm_up;
        let mut keys = Keys::new(self.session.options.instances, None);
        let payload = self.payload.slice(..self.payload.len().min(BURST_PAYLOAD));
        let mut left = burst;
        while left > 0 && monotonic() < give_up {
            let window = left.min(WINDOW);
            self.warm_up_window(&mut keys, window, &payload)?;
            left -= window;
        }
        if left > 0 {
            self.session.log.line(format!(
                "The warm-up took too long; {left} samples of it are left out"
            ));
        }
        self.practice()?;
        self.practise_by_driver()
    }

    /// Some samples at once; waits for their echoes, but in best effort some may be lost.
    fn warm_up_window(
        &mut self,
        keys: &mut Keys,
        window: u64,
        payload: &Bytes,
    ) -> Result<bool, String> {
        self.check_partners(monotonic())?;
        let expected = self.pongs.echoes() + window * self.subscribers() as u64;
        for _ in 0..window {
            let mut header = header(self.tag, Kind::WarmUp);
            header.key = keys.next();
            self.write(header, payload, NEVER, || ())?;
        }
        self.writer.flush();
        self.warm_up += window;
        if self.options.id != 0 {
            return Ok(true);
        }
        let patience = if self.session.options.reliable || window == 1 {
            self.session.bounds.ping
        } else {
            20 * MILLISECOND
        };
        let deadline = monotonic() + patience;
        Ok(self
            .messaging
            .wait(|| self.pongs.echoes() >= expected, deadline))
    }

    /// Pings of full size until the caches are warm and an echo has shown that both directions
    /// work.
    fn practice(&mut self) -> Result<(), String> {
        if self.options.id != 0 {
            return Ok(());
        }
        let started = monotonic();
        let payload = self.payload.clone();
        let mut keys = Keys::new(self.session.options.instances, None);
        let mut proven = false;
        for round in 0u64.. {
            let passed = monotonic() - started;
            if proven && (round >= 1_000 || passed > self.session.bounds.practice) {
                break;
            }
            if !proven && passed > self.session.bounds.first_echo {
                return Err(format!(
                    "no echo of a {}-byte sample came back within {} s. {}",
                    payload.len() + crate::messaging::OVERHEAD,
                    self.session.bounds.first_echo / SECOND,
                    self.messaging.describe_discovery()
                ));
            }
            proven |= self.warm_up_window(&mut keys, 1, &payload)?;
        }
        Ok(())
    }
}
