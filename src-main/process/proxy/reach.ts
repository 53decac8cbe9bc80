import type { AllowedHost } from '../../domain/policy/allowed-hosts.js';

/** How far a command with a network gets. */
export interface Reach {
  /** Every host but this machine and what is next to it; what is listed is meant in any case. */
  readonly anyHost: boolean;
  readonly hosts: readonly AllowedHost[];
}
