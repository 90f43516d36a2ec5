package patchbay

import (
	"fmt"

	kv "local/build/bindings/imports/patchbay_plugin_kv"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// Scope selects the values of a participant or of the client.
type Scope = kv.Scope

const (
	// Participant means values of this participant.
	Participant Scope = kv.Scope_Participant
	// Client means values that all participants of the client share.
	Client Scope = kv.Scope_Client
)

// Get returns the value of a key, and whether it has one.
func Get(scope Scope, key string) (value string, found bool, err error) {
	result := kv.Get(scope, key)
	if result.IsErr() {
		return "", false, stored(result.Err())
	}
	if result.Ok().IsNone() {
		return "", false, nil
	}
	return string(result.Ok().Some()), true, nil
}

// Set sets the value of a key. Writes take effect together with the answer, or not at all.
func Set(scope Scope, key, value string) error { return done(kv.Set(scope, key, []byte(value))) }

// SetExpiring sets a value that expires after this number of seconds.
func SetExpiring(scope Scope, key, value string, afterSeconds uint32) error {
	return done(kv.SetExpiring(scope, key, []byte(value), afterSeconds))
}

// Keys returns up to a hundred keys that begin with prefix and come after `after`, which is empty for the first ones.
func Keys(scope Scope, prefix, after string) ([]string, error) {
	result := kv.ListKeys(scope, prefix, Optional(after), 100)
	if result.IsErr() {
		return nil, stored(result.Err())
	}
	return result.Ok(), nil
}

// Delete removes a key. It is no error if the key does not exist.
func Delete(scope Scope, key string) error { return done(kv.Delete(scope, key)) }

func done(result wit.Result[wit.Unit, kv.Error]) error {
	if result.IsErr() {
		return stored(result.Err())
	}
	return nil
}

func stored(fault kv.Error) error {
	message := "a key is 1 to 128 bytes long and holds no NUL character"
	switch fault.Tag() {
	case kv.Error_ValueTooLarge:
		message = fmt.Sprintf("a value is at most %d bytes long", fault.ValueTooLarge())
	case kv.Error_TooManyWrites:
		message = fmt.Sprintf("a call writes at most %d keys", fault.TooManyWrites())
	case kv.Error_Other:
		message = fault.Other()
	}
	return &Error{Code: "key-value", Message: message}
}
