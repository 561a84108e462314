"""What a process has really sent: the kernel's count of its TCP connections."""

import os
import socket
import struct
import sys

# tcpi_bytes_sent and, behind it, tcpi_bytes_retrans in struct tcp_info of linux/tcp.h, since 4.19.
# On a busy machine bytes are sent again that were only late; these are nobody's message.
BYTES_SENT_OFFSET, TCP_INFO_LENGTH = 200, 216


def bytes_sent() -> int:
    """Return how many bytes this process has sent through the connections that it has open, each once.

    Raises
    ------
    OSError
        Where the kernel does not count: on other systems than Linux.
    """
    if not sys.platform.startswith("linux"):
        raise OSError(
            f"bytes_sent: this system is {sys.platform}; expected Linux, whose kernel counts the "
            "bytes of each connection. Run it there, or in a container."
        )
    return sum(map(_connection_bytes_sent, os.listdir("/proc/self/fd")))


def _connection_bytes_sent(descriptor) -> int:
    try:
        if not os.readlink(f"/proc/self/fd/{descriptor}").startswith("socket:"):
            return 0
        with socket.socket(fileno=os.dup(int(descriptor))) as connection:
            if connection.family not in (socket.AF_INET, socket.AF_INET6):
                return 0
            if connection.type != socket.SOCK_STREAM:
                return 0
            info = connection.getsockopt(
                socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_LENGTH
            )
    except OSError:  # closed meanwhile, or not connected
        return 0
    if len(info) < TCP_INFO_LENGTH:
        return 0
    sent, retransmitted = struct.unpack_from("QQ", info, BYTES_SENT_OFFSET)
    return sent - retransmitted
