// Package patchbay has helpers. This file has the parts that every plugin needs.
package patchbay

import (
	"encoding/json"
	"errors"
	"fmt"

	"local/build/bindings/imports/patchbay_plugin_config"
	"local/build/bindings/imports/patchbay_plugin_log"
	"local/build/bindings/imports/patchbay_plugin_types"

	wit "go.bytecodealliance.org/pkg/wit/types"

	// The functions that the host calls.
	_ "local/build/bindings/exports/wit_exports"
)

// Error reports that the plugin cannot answer. The call has no effect.
type Error struct {
	// Code is a short word for programs, such as "bad-config".
	Code string
	// Message is one sentence for readers of the plugin's log.
	Message string
	// Retry is true if the same call may succeed a little later.
	Retry bool
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Debugf, Infof, Warnf and Errorf write a line for the author of the plugin, which is stored with the trace of the
// call. Do not write personal data.
func Debugf(format string, values ...any) {
	patchbay_plugin_log.Write(patchbay_plugin_log.Level_Debug, fmt.Sprintf(format, values...))
}

func Infof(format string, values ...any) {
	patchbay_plugin_log.Write(patchbay_plugin_log.Level_Info, fmt.Sprintf(format, values...))
}

func Warnf(format string, values ...any) {
	patchbay_plugin_log.Write(patchbay_plugin_log.Level_Warn, fmt.Sprintf(format, values...))
}

func Errorf(format string, values ...any) {
	patchbay_plugin_log.Write(patchbay_plugin_log.Level_Error, fmt.Sprintf(format, values...))
}

// Config reads the configuration of the activation into a value with JSON tags.
func Config(into any) error {
	if err := json.Unmarshal([]byte(patchbay_plugin_config.Get()), into); err != nil {
		return &Error{Code: "bad-config", Message: "the configuration of this plugin does not fit: " + err.Error()}
	}
	return nil
}

// Value is the value of an option, or the zero value if it is empty.
func Value[T any](option wit.Option[T]) T {
	var nothing T
	return option.SomeOr(nothing)
}

// Optional is an option with a text. It is empty if the text is empty.
func Optional(text string) wit.Option[string] {
	if text == "" {
		return wit.None[string]()
	}
	return wit.Some(text)
}

// failure is an error in the type of the host.
func failure(err error) patchbay_plugin_types.Error {
	var known *Error
	if errors.As(err, &known) {
		return patchbay_plugin_types.Error{Code: known.Code, Message: known.Message, Retry: known.Retry}
	}
	return patchbay_plugin_types.Error{Code: "failed", Message: err.Error()}
}
