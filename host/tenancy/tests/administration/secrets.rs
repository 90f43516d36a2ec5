//! Encryption of secrets (DESIGN 3.9).

use base::secrets::{MasterKeyError, SealError, Sealer, SecretPurpose, generate_master_key, parse_master_key};
use domain::ids::ClientId;
use uuid::Uuid;

fn client(id: u128) -> ClientId {
    ClientId(Uuid::from_u128(id))
}

#[test]
fn a_sealed_value_opens_for_the_same_client_and_purpose_only() {
    let sealer = Sealer::new([7; 32]);
    let sealed = sealer.seal(client(1), SecretPurpose::AccessToken, b"token").unwrap();
    assert_eq!(sealer.open(client(1), SecretPurpose::AccessToken, &sealed).unwrap(), b"token");
    assert_eq!(sealer.open(client(2), SecretPurpose::AccessToken, &sealed), Err(SealError::NotAuthentic));
    assert_eq!(sealer.open(client(1), SecretPurpose::AppSecret, &sealed), Err(SealError::NotAuthentic));
}

#[test]
fn the_same_secret_is_never_sealed_to_the_same_bytes() {
    let sealer = Sealer::new([7; 32]);
    let seal = || sealer.seal(client(1), SecretPurpose::ApiKey, b"key").unwrap();
    assert_ne!(seal(), seal());
}

#[test]
fn a_sealed_value_is_version_key_id_nonce_ciphertext() {
    let sealed = Sealer::new([7; 32]).seal(client(1), SecretPurpose::ApiKey, b"key").unwrap();
    // 16 bytes of the ciphertext are its tag.
    assert_eq!((sealed[0], sealed.len()), (1, 1 + 4 + 24 + b"key".len() + 16));
    assert!(!sealed.windows(3).any(|window| window == b"key"));
}

#[test]
fn another_master_key_and_a_changed_value_are_distinguished() {
    let sealed = Sealer::new([7; 32]).seal(client(1), SecretPurpose::ApiKey, b"key").unwrap();
    assert_eq!(Sealer::new([8; 32]).open(client(1), SecretPurpose::ApiKey, &sealed), Err(SealError::OtherKey));
    let mut changed = sealed.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(Sealer::new([7; 32]).open(client(1), SecretPurpose::ApiKey, &changed), Err(SealError::NotAuthentic));
}

#[test]
fn every_shorter_value_and_every_other_version_is_unreadable() {
    let sealer = Sealer::new([7; 32]);
    let mut sealed = sealer.seal(client(1), SecretPurpose::ApiKey, b"").unwrap();
    for length in 0..29 {
        assert_eq!(sealer.open(client(1), SecretPurpose::ApiKey, &sealed[..length]), Err(SealError::Unreadable));
    }
    sealed[0] = 2;
    assert_eq!(sealer.open(client(1), SecretPurpose::ApiKey, &sealed), Err(SealError::Unreadable));
}

#[test]
fn derived_keys_depend_on_the_master_key_and_the_label() {
    let sealer = Sealer::new([7; 32]);
    assert_eq!(sealer.derive("media"), Sealer::new([7; 32]).derive("media"));
    assert_ne!(sealer.derive("media"), sealer.derive("other"));
    assert_ne!(sealer.derive("media"), Sealer::new([8; 32]).derive("media"));
}

#[test]
fn a_master_key_is_32_bytes_in_base64() {
    let generated = generate_master_key().unwrap();
    assert_eq!(parse_master_key(&format!(" {generated}\n")).unwrap().len(), 32);
    for bad in ["", "short", "AAAA", "not base64 at all, but long enough for it!!"] {
        assert!(matches!(parse_master_key(bad), Err(MasterKeyError::NotAKey)), "{bad}");
    }
}

#[tokio::test]
async fn a_start_with_another_master_key_is_refused_with_a_cure() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    Sealer::new([7; 32]).check_or_init(&mut db).await.unwrap();
    Sealer::new([7; 32]).check_or_init(&mut db).await.unwrap();
    let refused = Sealer::new([8; 32]).check_or_init(&mut db).await.unwrap_err();
    assert!(matches!(refused, MasterKeyError::OtherKey));
    assert!(refused.to_string().contains("master.key"));
    Sealer::new([7; 32]).check_or_init(&mut db).await.unwrap();
}
