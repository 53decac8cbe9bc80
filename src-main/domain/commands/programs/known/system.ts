import {
  type Effect,
  effect,
  sameForNames,
  type ParsedArguments,
  hasOption,
  type Program,
  type ProgramTable,
} from '../program.js';

const changes = (kind: Effect['kind'], words: string, more: Partial<Program> = {}): Program => ({
  nature: 'edits',
  anyOption: true,
  operands: ['value'],
  effects: [effect(kind, words)],
  ...more,
});
const unless =
  (looks: RegExp, kind: Effect['kind'], words: string) =>
  ({ operands: [verb] }: ParsedArguments): readonly Effect[] =>
    looks.test(verb ?? '') ? [] : [effect(kind, words)];

/** Programs that reach beyond a folder: other users, other processes, the machine. */
export const SYSTEM: ProgramTable = {
  ...sameForNames(
    'mkfs fdisk sfdisk cfdisk gdisk parted wipefs mkswap swapon swapoff blkdiscard hdparm cryptsetup lvcreate lvremove vgremove mdadm zpool zfs btrfs tune2fs resize2fs fsck',
    changes('deletes-for-good', 'erases or rewrites a disk: …'),
  ),
  ...sameForNames('mount umount losetup', {
    nature: 'edits',
    anyOption: true,
    operands: ['text'],
    findEffects: ({ all }: ParsedArguments) =>
      all.length === 0 ? [] : [effect('system', 'attaches or detaches a file system: …')],
  } satisfies Program),
  ...sameForNames('kill', { nature: 'edits', anyOption: true, operands: ['value'], grammar: 'kill' } satisfies Program),
  ...sameForNames(
    'pkill killall killall5 skill slay xkill',
    changes('ends-processes', 'ends processes that may not be its own: …'),
  ),
  fuser: {
    nature: 'reads',
    anyOption: true,
    operands: ['value'],
    findEffects: (given) =>
      hasOption(given, 'k', 'kill') ? [effect('ends-processes', 'ends processes that may not be its own: …')] : [],
  },
  ...sameForNames(
    'shutdown reboot poweroff halt init telinit',
    changes('system', 'stops or restarts the whole machine'),
  ),
  systemctl: {
    nature: 'reads',
    anyOption: true,
    operands: ['value'],
    findEffects: unless(
      /^(?:status|list-[a-z-]+|show|is-[a-z-]+|cat|get-default)$/u,
      'system',
      'changes what the system runs',
    ),
  },
  ...sameForNames(
    'service rc-service initctl launchctl rc-update update-rc.d sc',
    changes('system', 'changes what the system runs'),
  ),
  journalctl: {
    nature: 'reads',
    anyOption: true,
    operands: ['value'],
    more: 'vacuum-size! vacuum-time! rotate! D:reads file:reads',
  },
  dmesg: {
    nature: 'reads',
    anyOption: true,
    findEffects: (given) =>
      hasOption(given, 'c', 'C', 'clear', 'read-clear') ? [effect('system', 'clears the log of the kernel')] : [],
  },
  ...sameForNames('crontab', {
    nature: 'edits',
    anyOption: true,
    operands: ['reads'],
    findEffects: (given: ParsedArguments) =>
      hasOption(given, 'l') && given.operands.length === 0
        ? [effect('outside', 'reads what is set to run later')]
        : [effect('system', 'leaves something to run later')],
  } satisfies Program),
  ...sameForNames('at batch anacron systemd-run', changes('system', 'leaves something to run later')),
  ...sameForNames(
    'docker podman nerdctl docker-compose podman-compose buildah skopeo ctr crictl lxc lxd virsh qemu-system-x86_64 multipass limactl colima',
    changes('system', 'talks to Docker or its like, which act with the system’s rights', {
      finds: true,
      findEffects: ({ operands }: ParsedArguments) =>
        operands.some((word) => word === 'push' || word === 'login') ? [effect('publishes', 'publishes an image')] : [],
    }),
  ),
  ...sameForNames(
    'useradd userdel usermod groupadd groupdel adduser deluser passwd chpasswd chsh visudo vipw vigr gpasswd',
    changes('system', 'changes users of this machine'),
  ),
  ...sameForNames(
    'sysctl modprobe insmod rmmod depmod iptables ip6tables nft ufw firewall-cmd ip ifconfig route tc brctl nmcli netplan iwconfig rfkill setenforce setsebool aa-enforce timedatectl hostnamectl localectl loginctl udevadm update-alternatives update-grub grub-install ldconfig locale-gen dpkg-reconfigure efibootmgr',
    {
      nature: 'edits',
      anyOption: true,
      operands: ['text'],
      findEffects: ({ operands, all }: ParsedArguments) =>
        all.length === 0 ||
        (operands.length > 0 &&
          /^(?:a|addr|address|show|list|status|-a|-L)$/u.test(operands[0] ?? '') &&
          !operands.some((word) => /^(?:add|del|set|delete|flush|up|down|replace)$/u.test(word ?? '')))
          ? []
          : [effect('system', 'changes how this machine is set up')],
    } satisfies Program,
  ),
  ...sameForNames(
    'defaults osascript scutil networksetup pmset spctl csrutil security diskutil plutil dscl softwareupdate xattr open pbcopy pbpaste say',
    changes('system', 'changes this machine, or what runs in its windows'),
  ),
  ...sameForNames(
    'xdg-open xdg-settings gsettings dconf notify-send wmctrl xdotool ydotool xclip xsel wl-copy wl-paste import scrot gnome-screenshot',
    changes('system', 'controls your desktop'),
  ),
  ...sameForNames(
    'keyctl secret-tool pass op bw lpass vault sops age',
    changes('secret', 'reads or changes kept passwords'),
  ),
  ...sameForNames('gdb lldb strace ltrace perf bpftrace ptrace', {
    nature: 'runs',
    operands: ['reads'],
    more: 'p:text pid:text attach:text ex:code x:program eval-command:code command:program o:writes e:text',
    findEffects: (given: ParsedArguments) =>
      hasOption(given, 'p', 'pid', 'attach') ? [effect('ends-processes', 'attaches to another process')] : [],
  } satisfies Program),
  ...sameForNames('screen tmux byobu zellij', changes('system', 'starts something that goes on after the command')),
  history: { nature: 'reads', anyOption: true, operands: ['value'], more: 's! a:writes w:writes' },
  ...sameForNames('wall write mesg', changes('system', 'writes to other users’ screens')),
  ...sameForNames('logger', changes('notice', 'writes to the system’s log')),
  ...sameForNames('sync', { nature: 'edits', anyOption: true } satisfies Program),
};
