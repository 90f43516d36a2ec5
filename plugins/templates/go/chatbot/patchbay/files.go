package patchbay

import (
	"fmt"
	"iter"

	bot "local/build/bindings/imports/patchbay_plugin_bot"
	"local/build/bindings/imports/patchbay_plugin_files"
	"local/build/bindings/imports/patchbay_plugin_types"
)

// partBytes is the most that the host returns at once.
const partBytes = 256 << 10

// Media has the facts of a file of the customer.
type Media = patchbay_plugin_types.Media

// File returns the id of the message for ReadFile, and the facts of its file. The id is empty if the event is no message
// with a file.
func File(event Event) (messageID string, media Media) {
	if event.Kind.Tag() != bot.EventKind_Message {
		return "", Media{}
	}
	message := event.Kind.Message()
	if message.Content.Tag() != patchbay_plugin_types.Content_Media {
		return "", Media{}
	}
	return message.Id, message.Content.Media()
}

// ReadFile returns the whole file of a message. If the file has more than `most` bytes, the error has the code
// file-too-large. Every error of the functions for files is an *Error.
func ReadFile(messageID string, most int) ([]byte, error) {
	var content []byte
	for part, err := range FileParts(messageID) {
		if err != nil {
			return nil, err
		}
		if len(content)+len(part) > most {
			return nil, &Error{Code: "file-too-large", Message: fmt.Sprintf("the file has more than %d bytes", most)}
		}
		content = append(content, part...)
	}
	return content, nil
}

// FileParts reads the file of a message part by part: `for part, err := range patchbay.FileParts(id)`. An error ends the
// loop. A call reads at most 8 MiB.
func FileParts(messageID string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		offset := uint64(0)
		for {
			part, err := ReadFilePart(messageID, offset, partBytes)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(part) == 0 || !yield(part, nil) {
				return
			}
			offset += uint64(len(part))
		}
	}
}

// ReadFilePart returns the bytes of the file of a message from offset on: at most `most`, and never more than 256 KiB. An
// empty part is the end of the file.
func ReadFilePart(messageID string, offset uint64, most uint32) ([]byte, error) {
	result := patchbay_plugin_files.Read(messageID, offset, most)
	if result.IsErr() {
		return nil, fileFault(result.Err())
	}
	return result.Ok(), nil
}

// WriteFile takes a file for this answer, and returns the url for ReplyMedia. The name may be empty. The file has at most
// 2 MiB and a type that agents may send; a call writes at most 4. A file that no reply names is dropped.
func WriteFile(name string, content []byte) (url string, err error) {
	result := patchbay_plugin_files.Write(name, content)
	if result.IsErr() {
		return "", fileFault(result.Err())
	}
	return result.Ok(), nil
}

// ReplyFile writes a file as WriteFile does, and sends it, with a caption if it is not empty.
func ReplyFile(kind bot.MediaKind, name string, content []byte, caption string) (Action, error) {
	url, err := WriteFile(name, content)
	if err != nil {
		return Action{}, err
	}
	return ReplyMedia(kind, url, caption), nil
}

func fileFault(fault patchbay_plugin_files.Error) error {
	switch fault.Tag() {
	case patchbay_plugin_files.Error_NotFound:
		return &Error{Code: "file-not-found", Message: "no message of the customer in this conversation has this file"}
	case patchbay_plugin_files.Error_Unavailable:
		return &Error{Code: "file-unavailable", Message: "the file cannot be read yet", Retry: true}
	case patchbay_plugin_files.Error_TooMuch:
		return &Error{Code: "file-too-much", Message: fmt.Sprintf("a call reads at most %d bytes of files", fault.TooMuch())}
	case patchbay_plugin_files.Error_Refused:
		return &Error{Code: "file-refused", Message: fault.Refused()}
	default:
		return &Error{Code: "file", Message: fault.Other()}
	}
}
