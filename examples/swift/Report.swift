// The device's half behind Swift, through the module map beside this file.
import CPodium

struct PodiumError: Error { let message: String }

private func check(_ status: podium_status) throws {
    if status != PODIUM_OK { throw PodiumError(message: String(cString: podium_status_message(status))) }
}

/// A question that is fixed and public.
struct Collection {
    private var made = podium_collection()

    init(_ question: String) throws {
        try check(podium_collection_parse(&made, nil, 0, nil, question, question.utf8.count))
    }

    /// Turns a value into a code, which may leave the device.
    mutating func code(_ value: Double) throws -> [UInt8] {
        var value = value
        var cell: UInt32 = 0
        var code = [UInt8](repeating: 0, count: podium_code_bytes(&made))
        try check(podium_privatize_cells(&made, nil, &cell, &value, 1))
        try check(podium_codes_encode(&made, &code, code.count, &cell, 1))
        return code
    }
}
