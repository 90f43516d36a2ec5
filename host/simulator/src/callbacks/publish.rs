use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    event::{MESSENGER_FIELD, QueuedChange, SimulatedChange},
    queues,
    sender::lock,
};
use crate::world::SimulatedWorld;

impl SimulatedWorld {
    pub(crate) fn publish(self: &Arc<Self>, event: SimulatedChange) {
        let faults = self.faults();
        let batch = if event.field == MESSENGER_FIELD { queues::PAGE_BATCH } else { queues::BATCH };
        let queue = if faults.batch_callbacks { batch.to_owned() } else { event.queue.clone() };
        let due = Instant::now() + Duration::from_millis(faults.delay_millis);
        let mut queues = lock(&self.callbacks.queues);
        match queues.get_mut(&queue) {
            Some(queue) => queue.push_back(QueuedChange { event, due }),
            None => {
                queues.insert(queue.clone(), VecDeque::from([QueuedChange { event, due }]));
                self.tasks.spawn(queues::post_all(Arc::clone(self), queue));
            }
        }
    }
}
