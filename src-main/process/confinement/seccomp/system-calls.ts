/** The kernel's numbers for what a confined command is refused. Linux never changes one. */
export interface SystemCalls {
  /** The kernel's number for the machine and its way of making calls. */
  readonly audit: number;
  /** Calls with this bit are of another way: x32 on x86_64. */
  readonly otherWay: number | null;
  readonly numbers: Readonly<Record<FilteredCall, number | null>>;
}

/** Refused as if this kernel did not have them: programs that can do without then do. */
export const MISSING = [
  // Keys of the session that started the app: Kerberos, encrypted folders.
  'add_key',
  'request_key',
  'keyctl',
  // Much used to break kernels; what it does can be done otherwise.
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  // The flags of `clone3` stand in memory, where a filter can't look; `clone` does the same.
  'clone3',
  'modify_ldt',
] as const;

/** Refused as not permitted: nothing that a command is run for needs one. */
export const FORBIDDEN = [
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'reboot',
  'swapon',
  'swapoff',
  'acct',
  'quotactl',
  'quotactl_fd',
  'syslog',
  'vhangup',
  'nfsservctl',
  'uselib',
  'iopl',
  'ioperm',
  'lookup_dcookie',
  'open_by_handle_at',
  'setns',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'move_mount',
  'open_tree',
  'open_tree_attr',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
] as const;

/** Looked at by what they are asked for. */
type ArgumentFiltered = 'clone' | 'unshare' | 'ioctl' | 'socket' | 'socketpair';
type FilteredCall = (typeof MISSING)[number] | (typeof FORBIDDEN)[number] | ArgumentFiltered;

/** The calls that have the same number on both machines. */
const SINCE_2019 = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
} as const;

const X86_64: SystemCalls = {
  audit: 0xc000003e,
  otherWay: 0x40000000,
  numbers: {
    ...SINCE_2019,
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    clone: 56,
    syslog: 103,
    uselib: 134,
    vhangup: 153,
    modify_ldt: 154,
    pivot_root: 155,
    chroot: 161,
    acct: 163,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    nfsservctl: 180,
    lookup_dcookie: 212,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    unshare: 272,
    perf_event_open: 298,
    open_by_handle_at: 304,
    setns: 308,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
};

const AARCH64: SystemCalls = {
  audit: 0xc00000b7,
  otherWay: null,
  numbers: {
    ...SINCE_2019,
    lookup_dcookie: 18,
    ioctl: 29,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    nfsservctl: 42,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    syslog: 116,
    reboot: 142,
    socket: 198,
    socketpair: 199,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    clone: 220,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    open_by_handle_at: 265,
    setns: 268,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
    // These are calls of x86 alone.
    modify_ldt: null,
    uselib: null,
    iopl: null,
    ioperm: null,
  },
};

/** The numbers by Node's name of the machine; null where none is known, and so none can be refused. */
export const systemCallsOf = (machine: string): SystemCalls | null =>
  ({ x64: X86_64, arm64: AARCH64 })[machine] ?? null;
