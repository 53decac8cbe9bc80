/** The window offers no rule for these. */
export type NeverRemembered =
  'publishes' | 'rewrites-history' | 'deletes-for-good' | 'control-file' | 'secret' | 'outside' | 'host';

/** The kinds of findings in a command. All but a notice are dangers. */
export type FindingKind =
  | NeverRemembered
  /** Text that can’t be read, or means different things to different shells. */
  | 'unread'
  /** Runs with another user’s rights, or lets something run so. */
  | 'privilege'
  /** Runs text that can’t be seen before. */
  | 'unseen-program'
  /** Ends processes that are not its own. */
  | 'ends-processes'
  /** Changes how the machine is set up: services, schedules, devices, containers. */
  | 'system'
  /** Sets what other programs go by. */
  | 'variable'
  /** No danger by itself, and worth a look. */
  | 'notice';
