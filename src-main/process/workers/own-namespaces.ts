/**
 * Where runc runs: a world of its own, made before it. runc leaves its containers behind when it is killed, and groups of the
 * kernel that somebody has to remove. So it is the first process of a list of processes of its own (when that ends, whatever ends
 * it, the kernel ends all in it), root of a namespace of users in which nobody else is (so it needs no root and has none outside),
 * in a network that is empty, and keeps its files in memory that goes with it. The kernel’s groups are read-only to it: ours hold
 * it and everything below.
 *
 * It stands before the bridge, in the same process: that then listens in this network, and runs runc.
 */
export const NAMESPACES = String.raw`
my ($unshare, $mount, $prctl, $how, $uids, $gids, $bundle, $spec, $names) = splice @ARGV, 0, 9;
$_ += 0 for $unshare, $mount, $prctl;
sub stop_here { print STDERR "gatehouse: the container could not be prepared: $_[0]: $!\n"; exit 126 }
sub put { my $file; open($file, '>', $_[0]) && defined(syswrite $file, $_[1]) && close $file }
sub let_go { my $mine; open($mine, '+<&=', $_[0]) and close $mine }

# Who is who inside is said from outside.
my $here = $$;
pipe(my $asked, my $ask) && pipe(my $told, my $tell) or stop_here('pipe');
defined(my $mapper = fork) or stop_here('fork');
if (!$mapper) {
  close $ask; close $told;
  sysread($asked, my $word, 1) or exit 1;
  if ($how eq 'tools') {
    for (['newuidmap', $uids], ['newgidmap', $gids]) { system({ $_->[0] } $_->[0], $here, split /[ \n]/, $_->[1]) == 0 or stop_here($_->[0]) }
  } else {
    $how ne 'alone' or put("/proc/$here/setgroups", 'deny') or stop_here('setgroups');
    put("/proc/$here/uid_map", $uids) && put("/proc/$here/gid_map", $gids) or stop_here('users');
  }
  syswrite $tell, "\n";
  exit 0;
}
close $asked; close $tell;
# Users, processes, network, mounts.
syscall($unshare, 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000) == 0 or stop_here('namespaces');
syswrite $ask, "\n"; close $ask;
sysread($told, my $word, 1) or exit 126;
close $told;
waitpid $mapper, 0;
defined(my $first = fork) or stop_here('fork');
if ($first) {
  # Who reads sees the worker’s own end of these.
  let_go($_) for 0 .. 3;
  waitpid $first, 0;
  exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
}
# Killed with who waits for it.
syscall($prctl, 1, 9, 0, 0, 0);
sub mounts { my ($what, $at, $type, $flags, $options) = map { "$_" } @_; $flags += 0; syscall($mount, $what, $at, $type, $flags, $options) == 0 or stop_here("mount of $at") }
my ($nosuid, $nodev, $noexec) = (2, 4, 8);
mounts('none', '/', 'none', 0x4000 | 0x40000, '');
open(my $list, '<', '/proc/self/mountinfo') or stop_here('mounts');
for (<$list>) {
  / - cgroup2? / or next;
  my ($at, $options) = (split ' ')[4, 5];
  $at =~ s/\\([0-7]{3})/chr oct $1/ge;
  my $times = $options =~ /noatime/ ? 0x400 : $options =~ /relatime/ ? 0x200000 : 0x1000000;
  # Bound, anew, read-only.
  $times |= 0x800 if $options =~ /nodiratime/;
  mounts('none', $at, 'none', 0x1000 | 32 | 1 | $nosuid | $nodev | $noexec | $times, '');
}
close $list;
mounts('proc', '/proc', 'proc', $nosuid | $nodev | $noexec, '');
mounts('tmpfs', $bundle, 'tmpfs', $nosuid | $nodev, 'mode=700,size=16m');
my ($any, $up) = (undef, pack 'a16 s x22', 'lo', 1);
socket($any, 2, 2, 0) && ioctl($any, 0x8914, $up) or stop_here('lo');
close $any;
# What is secret comes by our environment, and stands in no file but this, which is in memory that nobody else sees.
my %said = ('"' => '\\"', '\\' => '\\\\');
my $environment = join '', map { my $each = "$_=$ENV{$_}"; $each =~ s/(["\\\x00-\x1f])/$said{$1} || sprintf '\\u%04x', ord $1/ge; qq(,"$each") } split /,/, $names;
$spec =~ s/,"\@environment"/$environment/ or stop_here('environment');
put("$bundle/config.json", $spec) or stop_here('bundle');
delete @ENV{split /,/, $names};
$ENV{PATH} = '/usr/sbin:/usr/bin:/sbin:/bin';
# From here on whatever is said is the worker’s.
my $notes;
open($notes, '>>&=', 5) and syswrite($notes, qq({"child-pid":1}\n)) and close $notes;
let_go(6);
`;

/** No variable: it has no value. */
export const PLACEHOLDER = '@environment';

/** Linux never changes one: to make namespaces, to mount, and to end with a parent. */
const NUMBERS: Readonly<Record<string, readonly [unshare: number, mount: number, prctl: number]>> = {
  x64: [272, 165, 157],
  arm64: [97, 40, 167],
};

export interface Namespaces {
  readonly users: Users;
  /** An empty folder, covered by memory of its own. */
  readonly bundle: string;
  /** As runc reads it, but for these variables of ours, which come to stand where `PLACEHOLDER` does. */
  readonly spec: string;
  readonly names: readonly string[];
}

/** Who is who inside, as the kernel is told it. */
export interface Users {
  /** By ourselves, by the system’s programs for it, or by ourselves as the only one there is. */
  readonly how: 'direct' | 'tools' | 'alone';
  readonly uids: string;
  readonly gids: string;
  /** Who a worker runs as, inside. */
  readonly worker: number;
}

/** Null on a processor whose numbers are not known. */
export function firstOf({ users, bundle, spec, names }: Namespaces, machine: string = process.arch) {
  const numbers = NUMBERS[machine];
  if (numbers === undefined) return null;
  const words = [...numbers.map(String), users.how, users.uids, users.gids, bundle, spec, names.join(',')];
  return { script: NAMESPACES, words };
}
