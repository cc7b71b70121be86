// The probes of a factory; see probes.h.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_PROBES_FACTORY_H_
#define EPFORGE_VALIDATE_CROSS_HOST_PROBES_FACTORY_H_

#include <vector>

#include "plugin.h"

using Hardware = std::vector<const OrtHardwareDevice*>;

void ProbeHardware(Plugin* plugin, const Hardware& hardware);
void ProbeMemory(Plugin* plugin, const Hardware& hardware);
void ProbeCopies(Plugin* plugin, const Hardware& hardware);
void ProbeStreams(Plugin* plugin, const Hardware& hardware);

#endif  // EPFORGE_VALIDATE_CROSS_HOST_PROBES_FACTORY_H_
