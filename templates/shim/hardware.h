// Hardware devices that this machine does not have.
#pragma once

#include <string>

#include "functions.h"

namespace shim {

// Takes a list of devices in place of the machine's: "type,vendor_id,device_id,vendor[,key=value]..."
// each, parted by ";", each word with %XX for what could be mistaken. "none"
// stands for no devices, "-" for the machine's. Returns what is wrong with the list; empty if nothing is.
std::string MakeUpHardware(const std::string& list);

// Puts the made-up list, if there is one, in place of the runtime's.
void PutMadeUpHardware(const OrtHardwareDevice* const*& devices, size_t& count);


}  // namespace shim
