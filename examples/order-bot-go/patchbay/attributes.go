package patchbay

import (
	bot "local/build/bindings/imports/patchbay_plugin_bot"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// AttributeValue is a value for SetAttribute, of the type that the client defined.
type AttributeValue = bot.AttributeValue

// TextValue is a text.
func TextValue(text string) AttributeValue { return bot.MakeAttributeValueText(text) }

// NumberValue is a number.
func NumberValue(number float64) AttributeValue { return bot.MakeAttributeValueNumber(number) }

// BooleanValue is true or false.
func BooleanValue(value bool) AttributeValue { return bot.MakeAttributeValueBoolean(value) }

// DateValue is a date such as 1990-05-31.
func DateValue(date string) AttributeValue { return bot.MakeAttributeValueDate(date) }

// ChoiceValue is a choice of the attribute.
func ChoiceValue(choice string) AttributeValue { return bot.MakeAttributeValueChoice(choice) }

// Attribute returns the value of an attribute of the contact: a float64, a bool, or a string (of any other type). It is
// nil if the contact has none.
func Attribute(session Session, name string) any {
	for _, attribute := range session.Attributes {
		if attribute.Name != name {
			continue
		}
		switch value := attribute.Value; value.Tag() {
		case bot.AttributeValue_Text:
			return value.Text()
		case bot.AttributeValue_Number:
			return value.Number()
		case bot.AttributeValue_Boolean:
			return value.Boolean()
		case bot.AttributeValue_Date:
			return value.Date()
		case bot.AttributeValue_Choice:
			return value.Choice()
		case bot.AttributeValue_Other:
			return value.Other()
		}
	}
	return nil
}

// SetAttribute sets an attribute of the contact.
func SetAttribute(name string, value AttributeValue) Action {
	return bot.MakeActionSetAttribute(bot.AttributeChange{Name: name, Value: wit.Some(value)})
}

// RemoveAttribute removes the value of an attribute of the contact.
func RemoveAttribute(name string) Action {
	return bot.MakeActionSetAttribute(bot.AttributeChange{Name: name, Value: wit.None[AttributeValue]()})
}
