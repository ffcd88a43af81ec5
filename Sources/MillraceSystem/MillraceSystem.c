#include "MillraceSystem.h"
