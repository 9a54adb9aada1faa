//! The device's half behind Rust: the lines of podium.h that a device needs, and a safe type around them.
use std::ffi::CStr;
use std::os::raw::{c_char, c_uint, c_void};

/// The bytes of a podium_collection, which only the library reads.
#[repr(C, align(8))]
pub struct Collection([u8; 4096]);

extern "C" {
    fn podium_collection_parse(
        collection: *mut Collection, name: *mut c_char, capacity: usize, error: *mut c_void, text: *const c_char, n: usize,
    ) -> c_uint;
    fn podium_privatize_cells(
        collection: *const Collection, random: *const c_void, cells: *mut u32, values: *const f64, n: usize,
    ) -> c_uint;
    fn podium_code_bytes(collection: *const Collection) -> usize;
    fn podium_codes_encode(
        collection: *const Collection, codes: *mut u8, capacity: usize, cells: *const u32, n: usize,
    ) -> c_uint;
    fn podium_status_message(status: c_uint) -> *const c_char;
}

fn check(status: c_uint) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    // The message is a constant of the library, and never NULL.
    Err(unsafe { CStr::from_ptr(podium_status_message(status)) }.to_string_lossy().into_owned())
}

impl Collection {
    pub fn parse(question: &str) -> Result<Box<Self>, String> {
        let mut made = Box::new(Collection([0; 4096]));
        let text = question.as_ptr().cast();
        let none = std::ptr::null_mut();
        check(unsafe { podium_collection_parse(&mut *made, none, 0, none.cast(), text, question.len()) })?;
        Ok(made)
    }

    /// Turns values into codes, which may leave the device.
    pub fn codes(&self, values: &[f64]) -> Result<Vec<u8>, String> {
        let n = values.len();
        let mut cells = vec![0u32; n];
        let mut codes = vec![0u8; n * unsafe { podium_code_bytes(self) }];
        let system = std::ptr::null(); // the default source of random bytes
        check(unsafe { podium_privatize_cells(self, system, cells.as_mut_ptr(), values.as_ptr(), n) })?;
        check(unsafe { podium_codes_encode(self, codes.as_mut_ptr(), codes.len(), cells.as_ptr(), n) })?;
        Ok(codes)
    }
}

fn main() -> Result<(), String> {
    let collection = Collection::parse("minimax epsilon=1 range=1:120")?;
    let codes = collection.codes(&[23.0, 45.0, 67.0, 34.0, 51.0, 18.0, 72.0, 40.0])?;
    println!("{}", codes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    Ok(())
}
