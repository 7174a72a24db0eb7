"""Certificates for servers of tests, signed by themselves."""

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path


def certify(folder: Path, name: str) -> Path:
    """Write a certificate for a host's name or address, as `assay.crt`, with its key; the certificate's file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    host = x509.IPAddress(ipaddress.ip_address(name)) if name[0].isdigit() else x509.DNSName(name)
    subject, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]), datetime.now(UTC)
    builder = x509.CertificateBuilder(
        subject, subject, key.public_key(), x509.random_serial_number(), now, now + timedelta(1)
    )
    builder = builder.add_extension(x509.SubjectAlternativeName([host]), critical=False)
    file = folder / "assay.crt"
    file.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.with_suffix(".key").write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))
    return file


def server_context(certificate: Path) -> ssl.SSLContext:
    """What a server needs to speak TLS with a certificate of `certify`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    return context
