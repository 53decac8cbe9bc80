import { type Deed, deed, each, type Given, has, type Program, type Programs } from '../program.js';

const changes = (kind: Deed['kind'], words: string, more: Partial<Program> = {}): Program => ({
  nature: 'edits',
  anyOption: true,
  operands: ['value'],
  deeds: [deed(kind, words)],
  ...more,
});
const unless =
  (looks: RegExp, kind: Deed['kind'], words: string) =>
  ({ operands: [verb] }: Given): readonly Deed[] =>
    looks.test(verb ?? '') ? [] : [deed(kind, words)];

/** Programs that reach beyond a folder: other users, other processes, the machine. */
export const SYSTEM: Programs = {
  ...each(
    'mkfs fdisk sfdisk cfdisk gdisk parted wipefs mkswap swapon swapoff blkdiscard hdparm cryptsetup lvcreate lvremove vgremove mdadm zpool zfs btrfs tune2fs resize2fs fsck',
    changes('deletes-for-good', 'erases or rewrites a disk: …'),
  ),
  ...each('mount umount losetup', {
    nature: 'edits',
    anyOption: true,
    operands: ['text'],
    look: ({ all }: Given) => (all.length === 0 ? [] : [deed('system', 'attaches or detaches a file system: …')]),
  } satisfies Program),
  ...each('kill', { nature: 'edits', anyOption: true, operands: ['value'], grammar: 'kill' } satisfies Program),
  ...each(
    'pkill killall killall5 skill slay xkill',
    changes('ends-processes', 'ends processes that may not be its own: …'),
  ),
  fuser: {
    nature: 'reads',
    anyOption: true,
    operands: ['value'],
    look: (given) =>
      has(given, 'k', 'kill') ? [deed('ends-processes', 'ends processes that may not be its own: …')] : [],
  },
  ...each('shutdown reboot poweroff halt init telinit', changes('system', 'stops or restarts the whole machine')),
  systemctl: {
    nature: 'reads',
    anyOption: true,
    operands: ['value'],
    look: unless(
      /^(?:status|list-[a-z-]+|show|is-[a-z-]+|cat|get-default)$/u,
      'system',
      'changes what the system runs',
    ),
  },
  ...each(
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
    look: (given) =>
      has(given, 'c', 'C', 'clear', 'read-clear') ? [deed('system', 'clears the log of the kernel')] : [],
  },
  ...each('crontab', {
    nature: 'edits',
    anyOption: true,
    operands: ['reads'],
    look: (given: Given) =>
      has(given, 'l') && given.operands.length === 0
        ? [deed('outside', 'reads what is set to run later')]
        : [deed('system', 'leaves something to run later')],
  } satisfies Program),
  ...each('at batch anacron systemd-run', changes('system', 'leaves something to run later')),
  ...each(
    'docker podman nerdctl docker-compose podman-compose buildah skopeo ctr crictl lxc lxd virsh qemu-system-x86_64 multipass limactl colima',
    changes('system', 'talks to Docker or its like, which act with the system’s rights', {
      finds: true,
      look: ({ operands }: Given) =>
        operands.some((word) => word === 'push' || word === 'login') ? [deed('publishes', 'publishes an image')] : [],
    }),
  ),
  ...each(
    'useradd userdel usermod groupadd groupdel adduser deluser passwd chpasswd chsh visudo vipw vigr gpasswd',
    changes('system', 'changes users of this machine'),
  ),
  ...each(
    'sysctl modprobe insmod rmmod depmod iptables ip6tables nft ufw firewall-cmd ip ifconfig route tc brctl nmcli netplan iwconfig rfkill setenforce setsebool aa-enforce timedatectl hostnamectl localectl loginctl udevadm update-alternatives update-grub grub-install ldconfig locale-gen dpkg-reconfigure efibootmgr',
    {
      nature: 'edits',
      anyOption: true,
      operands: ['text'],
      look: ({ operands, all }: Given) =>
        all.length === 0 ||
        (operands.length > 0 &&
          /^(?:a|addr|address|show|list|status|-a|-L)$/u.test(operands[0] ?? '') &&
          !operands.some((word) => /^(?:add|del|set|delete|flush|up|down|replace)$/u.test(word ?? '')))
          ? []
          : [deed('system', 'changes how this machine is set up')],
    } satisfies Program,
  ),
  ...each(
    'defaults osascript scutil networksetup pmset spctl csrutil security diskutil plutil dscl softwareupdate xattr open pbcopy pbpaste say',
    changes('system', 'changes this machine, or what runs in its windows'),
  ),
  ...each(
    'xdg-open xdg-settings gsettings dconf notify-send wmctrl xdotool ydotool xclip xsel wl-copy wl-paste import scrot gnome-screenshot',
    changes('system', 'controls your desktop'),
  ),
  ...each('keyctl secret-tool pass op bw lpass vault sops age', changes('secret', 'reads or changes kept passwords')),
  ...each('gdb lldb strace ltrace perf bpftrace ptrace', {
    nature: 'runs',
    operands: ['reads'],
    more: 'p:text pid:text attach:text ex:code x:program eval-command:code command:program o:writes e:text',
    look: (given: Given) =>
      has(given, 'p', 'pid', 'attach') ? [deed('ends-processes', 'attaches to another process')] : [],
  } satisfies Program),
  ...each('screen tmux byobu zellij', changes('system', 'starts something that goes on after the command')),
  ...each('history', { nature: 'reads', anyOption: true, operands: ['value'] } satisfies Program),
  ...each('wall write mesg', changes('system', 'writes to other users’ screens')),
  ...each('logger', changes('notice', 'writes to the system’s log')),
  ...each('sync', { nature: 'edits', anyOption: true } satisfies Program),
};
