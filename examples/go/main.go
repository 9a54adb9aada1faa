// The device's half behind Go: cgo compiles podium.c, which stands beside this file.
package main

/*
#cgo CFLAGS: -std=c11 -O2
#cgo LDFLAGS: -lm
#include "podium.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// A Collection is a question that is fixed and public; goroutines may share it.
type Collection struct{ made C.podium_collection }

func check(status C.podium_status) error {
	if status == C.PODIUM_OK {
		return nil
	}
	return errors.New(C.GoString(C.podium_status_message(status)))
}

// Parse makes a collection from one line of text.
func Parse(question string) (*Collection, error) {
	text := []byte(question + "\x00")
	c := new(Collection)
	status := C.podium_collection_parse(&c.made, nil, 0, nil, (*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(question)))
	return c, check(status)
}

// Codes turns values, of which there must be one at least, into codes, which may leave the device.
func (c *Collection) Codes(values []float64) ([]byte, error) {
	n := C.size_t(len(values))
	cells := make([]C.uint32_t, n)
	codes := make([]byte, n*C.podium_code_bytes(&c.made))
	err := check(C.podium_privatize_cells(&c.made, nil, &cells[0], (*C.double)(&values[0]), n))
	if err == nil {
		err = check(C.podium_codes_encode(&c.made, (*C.uchar)(&codes[0]), C.size_t(len(codes)), &cells[0], n))
	}
	return codes, err
}

func main() {
	collection, err := Parse("minimax epsilon=1 range=1:120")
	var codes []byte
	if err == nil {
		codes, err = collection.Codes([]float64{23, 45, 67, 34, 51, 18, 72, 40})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "podium:", err)
		os.Exit(1)
	}
	fmt.Printf("%x\n", codes)
}
