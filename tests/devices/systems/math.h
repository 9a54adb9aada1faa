#include "../freestanding/math.h"
