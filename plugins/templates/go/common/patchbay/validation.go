//go:build validates

package patchbay

import (
	"encoding/json"

	"local/build/bindings/exports/export_patchbay_plugin_validation"
	validation "local/build/bindings/imports/patchbay_plugin_validation"
)

// Finding is a fault of a configuration: its place, such as "topics/0/title" (empty for the whole configuration), and
// one sentence.
type Finding = validation.Finding

// CheckConfig makes a function the judge of configurations: if it returns findings, the activation is refused. Call it in
// an init function. It needs `validates = true` in plugin.toml.
func CheckConfig[T any](check func(config T) []Finding) {
	export_patchbay_plugin_validation.Validate = func(text string) []Finding {
		var config T
		if err := json.Unmarshal([]byte(text), &config); err != nil {
			return []Finding{{Field: "", Message: "The configuration does not fit: " + err.Error()}}
		}
		return check(config)
	}
}
