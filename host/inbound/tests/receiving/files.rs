//! Files of chatbots and visitors: a store that fails, turns that are cut off, and files that no message names.

use std::{
    io,
    ops::Range,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use base::{
    Context,
    audit::{Actor, Administration},
    lanes::{LaneKey, Lease},
};
use channels::media_store::{MediaContent, MediaStore, MediaStoreError, OpenMedia, StoredMedia};
use chrono::{DateTime, TimeDelta};
use domain::{
    address::{Address, AddressKind},
    chat::ParticipantState,
    ids::{ClientId, MediaId, ParticipantId},
    phone::Msisdn,
    web_chat::SiteForm,
};
use inbound::{
    media,
    web_chat::{self, VisitorSessionRequest},
};
use serde_json::json;
use storage::{
    Db, Queue,
    inbound::{
        media::{self as stored_media, OwnMedia, ReadyMedia},
        unsent_files,
    },
    tenancy::disablement,
};
use tenancy::{
    person::{self, Certificate, StopEntries, WantedErasure},
    sites,
};

use crate::stage::{Stage, ZO};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreState {
    Up,
    /// It refuses everything.
    Away,
    /// It stores a file, and its answer is lost: the turn is cut off between its file and its effects.
    LosesAnswers,
}

struct FragileStore {
    store: Arc<dyn MediaStore>,
    state: Mutex<StoreState>,
}

impl FragileStore {
    fn set(&self, state: StoreState) {
        *self.state.lock().unwrap() = state;
    }

    fn refuses(&self, because: StoreState) -> Result<(), MediaStoreError> {
        if *self.state.lock().unwrap() != because {
            return Ok(());
        }
        Err(MediaStoreError::Shared { store: "bucket", source: Box::new(io::Error::other("the bucket refuses")) })
    }
}

#[async_trait]
impl MediaStore for FragileStore {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        self.refuses(StoreState::Away)?;
        let stored = self.store.put(client, id, content).await?;
        self.refuses(StoreState::LosesAnswers)?;
        Ok(stored)
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        self.refuses(StoreState::Away)?;
        self.store.open(client, id).await
    }

    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        self.refuses(StoreState::Away)?;
        self.store.size(client, id).await
    }

    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        self.refuses(StoreState::Away)?;
        self.store.open_part(client, id, part).await
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        self.refuses(StoreState::Away)?;
        self.store.delete(client, id).await
    }
}

async fn with_clerk() -> (Stage, Arc<FragileStore>) {
    let stage = Stage::with_chatbot("clerk", json!({})).await;
    let store = FragileStore { store: Arc::clone(&stage.ctx.media), state: Mutex::new(StoreState::Up) };
    let store = Arc::new(store);
    (stage.with_files_in(Arc::<FragileStore>::clone(&store)), store)
}

/// Zo asks for a file. The turn ends after the file is stored and before the answer takes effect. Returns the file.
async fn cut_off(stage: &Stage, store: &FragileStore) -> MediaId {
    stage.zo_writes("wamid.A", "send-file bill.pdf").await;
    stage.settle_callbacks_only().await;
    store.set(StoreState::LosesAnswers);
    stage.try_turn().await.unwrap_err();
    store.set(StoreState::Up);
    let [file] = stage.ids("SELECT id FROM media").await.try_into().unwrap();
    let file = MediaId(file);
    assert!(is_kept(stage, file).await);
    file
}

async fn is_kept(stage: &Stage, file: MediaId) -> bool {
    stage.ctx.media.open(stage.client, file).await.unwrap().is_some()
}

async fn files_and_notes(stage: &Stage) -> (i64, i64) {
    let files = stage.count("SELECT count(*) FROM media").await;
    (files, stage.count("SELECT count(*) FROM unsent_file").await)
}

fn zo() -> Address {
    Msisdn::parse(ZO).unwrap().into()
}

async fn erase(stage: &Stage, address: &Address) -> Certificate {
    erase_in(stage.ctx.media.as_ref(), stage, address).await
}

async fn erase_in(store: &dyn MediaStore, stage: &Stage, address: &Address) -> Certificate {
    let admin = Administration::from(stage.ctx.as_ref());
    let wanted = WantedErasure { address, stops: StopEntries::Keep };
    person::erase(&admin, store, stage.client, wanted, Actor::Operator).await.unwrap()
}

/// The chat waits for its chatbot, and no failure is counted, however often the turn is made.
async fn is_made_again_without_a_failure(stage: &Stage) {
    for _ in 0..5 {
        let failed = stage.try_turn().await.unwrap_err();
        assert!(failed.is_outage(), "{failed:?}");
    }
    assert_eq!(stage.chat().await.state, ParticipantState::Bot);
    assert_eq!(stage.count("SELECT count(*) FROM participant_event WHERE attempts = 0").await, 1);
    assert_eq!(stage.outcomes().await, ["answered"], "the beginning of the conversation alone");
}

#[tokio::test]
async fn a_turn_whose_file_the_store_refuses_is_made_again_and_is_no_failure() {
    let (stage, store) = with_clerk().await;
    store.set(StoreState::Away);
    stage.zo_writes("wamid.A", "send-file bill.pdf").await;
    stage.settle_callbacks_only().await;

    is_made_again_without_a_failure(&stage).await;

    store.set(StoreState::Up);
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM chat_message WHERE direction = 'OUTGOING'").await, 1);
    assert_eq!(files_and_notes(&stage).await, (1, 0), "the message names the file");
}

#[tokio::test]
async fn a_turn_that_fails_because_the_store_gives_no_file_is_made_again_and_is_no_failure() {
    let (stage, store) = with_clerk().await;
    let image = json!({ "id": "M1", "mime_type": "image/jpeg", "caption": "read" });
    stage.zo_sends("wamid.A", "image", image, None).await;
    stage.settle_callbacks_only().await;
    let file = MediaId(stage.ids("SELECT id FROM media").await[0]);
    stage.ctx.media.put(stage.client, file, MediaContent::Bytes("jpeg".into())).await.unwrap();
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let ready = ReadyMedia { id: file, sha256: "00", bytes: 4, judged: None };
    stored_media::mark_ready(&mut db, stage.client, ready).await.unwrap();
    drop(db);
    store.set(StoreState::Away);

    is_made_again_without_a_failure(&stage).await;

    store.set(StoreState::Up);
    stage.settle().await;
    assert!(stage.transcript().await.last().unwrap().starts_with("> read 4 bytes"));
}

#[tokio::test]
async fn an_erasure_deletes_the_file_of_a_turn_that_was_cut_off() {
    let (stage, store) = with_clerk().await;
    let file = cut_off(&stage, &store).await;

    let certificate = erase(&stage, &zo()).await;

    assert!(certificate.is_complete);
    assert_eq!(certificate.files, 1);
    assert_eq!(files_and_notes(&stage).await, (0, 0));
    assert!(!is_kept(&stage, file).await);
}

#[tokio::test]
async fn a_repetition_of_a_turn_that_was_cut_off_sends_its_file_once() {
    let (stage, store) = with_clerk().await;
    let file = cut_off(&stage, &store).await;

    stage.settle().await;

    assert_eq!(stage.ids("SELECT media_id FROM chat_message WHERE media_id IS NOT NULL").await, [file.0]);
    assert_eq!(files_and_notes(&stage).await, (1, 0));
}

#[tokio::test]
async fn a_file_that_no_message_names_is_removed_after_a_day() {
    let (stage, store) = with_clerk().await;
    let file = cut_off(&stage, &store).await;

    stage.advance(TimeDelta::hours(24));
    media::forget_old(&stage.ctx).await;
    assert!(is_kept(&stage, file).await);
    stage.advance(TimeDelta::seconds(1));
    media::forget_old(&stage.ctx).await;

    assert!(!is_kept(&stage, file).await);
    assert_eq!(files_and_notes(&stage).await, (0, 0));
}

#[tokio::test]
async fn an_old_file_of_a_chat_that_a_process_works_on_is_kept() {
    let (stage, store) = with_clerk().await;
    let file = cut_off(&stage, &store).await;
    stage.advance(TimeDelta::hours(25));
    let turn = stage.claim(Queue::Participant, stage.chat().await.id.0).await;

    media::forget_old(&stage.ctx).await;
    assert!(is_kept(&stage, file).await, "the turn may send it");
    assert_eq!(files_and_notes(&stage).await, (1, 1));
    turn.release(&stage.ctx).await.unwrap();
    media::forget_old(&stage.ctx).await;

    assert!(!is_kept(&stage, file).await);
    assert_eq!(files_and_notes(&stage).await, (0, 0));
}

#[tokio::test]
async fn an_old_file_of_a_disabled_client_is_removed() {
    let (stage, store) = with_clerk().await;
    let file = cut_off(&stage, &store).await;
    let mut db = stage.ctx.db.acquire().await.unwrap();
    disablement::set_client(&mut db, stage.client, Some(stage.ctx.now())).await.unwrap();
    drop(db);

    stage.advance(TimeDelta::hours(25));
    media::forget_old(&stage.ctx).await;

    assert!(!is_kept(&stage, file).await);
    assert_eq!(files_and_notes(&stage).await, (0, 0));
}

#[tokio::test]
async fn no_turn_of_a_chat_begins_while_its_old_file_is_removed() {
    let (stage, store) = with_clerk().await;
    let file = cut_off(&stage, &store).await;
    stage.advance(TimeDelta::hours(25));
    let watching = Arc::new(LaneWatch::of(&stage).await);
    let stage = stage.with_files_in(Arc::<LaneWatch>::clone(&watching));

    media::forget_old(&stage.ctx).await;

    assert!(!is_kept(&stage, file).await);
    assert_eq!(*watching.lanes_free.lock().unwrap(), [false]);
    assert_eq!(stage.due(Queue::Participant).await.len(), 1, "afterwards it is made again");
}

#[tokio::test]
async fn a_sent_file_stays_although_its_note_was_left() {
    let (stage, _store) = with_clerk().await;
    stage.zo_writes("wamid.A", "send-file bill.pdf").await;
    stage.settle().await;
    let file = MediaId(stage.ids("SELECT id FROM media").await[0]);
    // As a process of an earlier release leaves it.
    let chat: ParticipantId = stage.chat().await.id;
    let mut db = stage.ctx.db.acquire().await.unwrap();
    unsent_files::note(&mut db, stage.client, file, chat, stage.ctx.now()).await.unwrap();
    drop(db);

    stage.advance(TimeDelta::hours(25));
    media::forget_old(&stage.ctx).await;

    assert!(is_kept(&stage, file).await);
    assert_eq!(files_and_notes(&stage).await, (1, 0));
}

#[tokio::test]
async fn an_erasure_deletes_the_file_that_a_visitor_uploaded_and_did_not_send() {
    let stage = Stage::new().await;
    let (ctx, admin) = (stage.ctx.as_ref(), Administration::from(stage.ctx.as_ref()));
    let asked = SiteForm {
        name: Some("Shop".to_owned()),
        origins: Some(vec!["https://shop.example".to_owned()]),
        ..SiteForm::default()
    };
    let site = sites::add(&admin, stage.client, &asked, Actor::Operator).await.unwrap();
    let (ann, ben) = (begin(&stage, &site).await, begin(&stage, &site).await);
    let mut files = Vec::new();
    for visitor in [&ann, &ben] {
        let bytes = bytes::Bytes::from_static(b"\x89PNG\r\n\x1a\n");
        let png = web_chat::OfferedFile { content_type: "image/png", name: None, bytes };
        files.push(web_chat::upload(ctx, &site, visitor, png).await.unwrap().id);
    }

    erase(&stage, &Address::of_kind(AddressKind::Visitor, &ann.visitor.to_string()).unwrap()).await;

    assert!(!is_kept(&stage, files[0]).await);
    assert!(is_kept(&stage, files[1]).await, "that of another visitor");
    assert_eq!(stage.ids("SELECT id FROM media").await, [files[1].0]);
}

async fn begin(stage: &Stage, site: &web_chat::Site) -> web_chat::VisitorToken {
    web_chat::begin(&stage.ctx, site, VisitorSessionRequest::default()).await.unwrap().token
}

/// A store whose first deletion comes at the same time as a turn that stores another file in the same chat.
struct BusyStore {
    store: Arc<dyn MediaStore>,
    db: Db,
    chat: ParticipantId,
    late: Mutex<Option<MediaId>>,
}

impl BusyStore {
    async fn store_late(&self, client: ClientId, id: MediaId) {
        let (mime_type, extension) = ("application/pdf", "pdf");
        let file = OwnMedia { id, mime_type, extension, filename: None, sha256: "", bytes: 4 };
        let mut db = self.db.acquire().await.unwrap();
        stored_media::insert_own(&mut db, client, &file, DateTime::UNIX_EPOCH).await.unwrap();
        unsent_files::note(&mut db, client, id, self.chat, DateTime::UNIX_EPOCH).await.unwrap();
        drop(db);
        self.store.put(client, id, MediaContent::Bytes("%PDF".into())).await.unwrap();
    }
}

#[async_trait]
impl MediaStore for BusyStore {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        self.store.put(client, id, content).await
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        self.store.open(client, id).await
    }

    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        self.store.size(client, id).await
    }

    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        self.store.open_part(client, id, part).await
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        let late = self.late.lock().unwrap().take();
        if let Some(late) = late {
            self.store_late(client, late).await;
        }
        self.store.delete(client, id).await
    }
}

/// A store that notes at each deletion whether a turn of the chat could begin.
struct LaneWatch {
    store: Arc<dyn MediaStore>,
    ctx: Arc<Context>,
    lane: LaneKey,
    lanes_free: Mutex<Vec<bool>>,
}

impl LaneWatch {
    async fn of(stage: &Stage) -> Self {
        let lane = LaneKey { queue: Queue::Participant, client: stage.client, lane: stage.chat().await.id.0 };
        let (store, ctx) = (Arc::clone(&stage.ctx.media), Arc::clone(&stage.ctx));
        Self { store, ctx, lane, lanes_free: Mutex::default() }
    }
}

#[async_trait]
impl MediaStore for LaneWatch {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        self.store.put(client, id, content).await
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        self.store.open(client, id).await
    }

    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        self.store.size(client, id).await
    }

    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        self.store.open_part(client, id, part).await
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        let claimed = Lease::claim_briefly(&self.ctx, self.lane).await.unwrap();
        self.lanes_free.lock().unwrap().push(claimed.is_some());
        self.store.delete(client, id).await
    }
}

#[tokio::test]
async fn a_file_that_a_turn_stores_during_the_erasure_is_erased() {
    let (stage, store) = with_clerk().await;
    let first = cut_off(&stage, &store).await;
    let late: MediaId = stage.ctx.mint();
    let busy = BusyStore {
        store: Arc::clone(&stage.ctx.media),
        db: stage.ctx.db.clone(),
        chat: stage.chat().await.id,
        late: Mutex::new(Some(late)),
    };

    let certificate = erase_in(&busy, &stage, &zo()).await;

    assert!(certificate.is_complete);
    assert_eq!(certificate.files, 2);
    assert!(!is_kept(&stage, first).await && !is_kept(&stage, late).await);
    assert_eq!(files_and_notes(&stage).await, (0, 0));
}

#[tokio::test]
async fn a_gif_of_a_chatbot_is_refused_on_whatsapp_cloud_with_the_cure() {
    let (stage, _store) = with_clerk().await;
    stage.zo_writes("wamid.A", "send-gif laugh.gif").await;
    stage.settle().await;

    let chat = stage.chat().await;
    assert_eq!(chat.state, ParticipantState::Queued);
    let reason = chat.queued_reason.unwrap();
    assert!(reason.contains("the file of a reply is a GIF") && reason.contains("MP4"), "{reason}");
    assert_eq!(files_and_notes(&stage).await, (0, 0));
}
