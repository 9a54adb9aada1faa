/* The commands. Each has a file of its own with its options, its help and its code. */
#ifndef PODIUM_CLI_COMMANDS_H
#define PODIUM_CLI_COMMANDS_H

#include "options.h"

extern const command command_design, command_privatize, command_aggregate, command_merge, command_estimate,
    command_difference, command_show, command_compare, command_plan, command_explain, command_amplify, command_params,
    command_paper, command_send;

#endif
