"""PyYAML's two parsers, libyaml's and the pure-Python one, adapted to read the same files.

PyYAML is installed without libyaml where no wheel fits the platform. Its own scanner refuses
`[X, mask?]` and tabs between values, which YAML 1.2 allows and libyaml reads. The parsers still
differ in tags, keys that begin with `? `, and tabs in the indentation of block text.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.nodes import Node
from yaml.reader import ReaderError
from yaml.scanner import ScannerError
from yaml.tokens import FlowEntryToken, FlowMappingEndToken, FlowSequenceEndToken

UNTAGGED = "untagged"
_ENDS = (FlowEntryToken, FlowMappingEndToken, FlowSequenceEndToken)
_LIBYAML_MESSAGES = (
    (r".*expected the node content, but found .*", "did not find expected node content"),
    (
        r".*expected (',' or '.'|'<document start>'), but (got|found) .*",
        r"did not find expected \1",
    ),
    (r".* block mapping: expected <block end>, .*", "did not find expected key"),
    (r".* block collection: expected <block end>, .*", "did not find expected '-' indicator"),
    (r".*(found undefined alias) .*", r"\1"),
    (r".*(found character) .* (that cannot start any token)", r"\1 \2"),
    (r".*(mapping values are not allowed) here", r"\1 in this context"),
    (r".*(sequence entries are not allowed) here", r"block \1 in this context"),
)
"""pattern of the pure parser's "context: message" -> libyaml's message; errors have no codes"""
_INSIDE_PLAIN_TEXT = {"?": "x", "\t": " "}
"""character -> one that the scanner treats inside plain text as libyaml treats the first"""


class PureLoader(yaml.SafeLoader):
    """The pure-Python parser with libyaml's rules for plain text, tabs and escapes."""

    _in_plain_text = False
    _quote: yaml.Mark | None = None

    def get_single_node(self) -> Node | None:
        """Return the document's root node. Raises YAMLError with libyaml's message."""
        try:
            node: Node | None = super().get_single_node()
        except yaml.MarkedYAMLError as error:
            for pattern, words in _LIBYAML_MESSAGES:
                if match := re.fullmatch(pattern, f"{error.context}: {error.problem}", re.DOTALL):
                    error.problem = match.expand(words)
            raise
        return node

    def check_printable(self, data: Any) -> None:
        """Raise ReaderError for a control character."""
        try:
            super().check_printable(data)
        except ReaderError as error:
            error.reason = "control characters are not allowed"
            raise

    def process_empty_scalar(self, mark: yaml.Mark) -> Any:
        """Return the event of a missing value; inside brackets, at the next token's position."""
        if self.check_token(*_ENDS):
            mark = self.peek_token().start_mark  # type: ignore[no-untyped-call]
        return super().process_empty_scalar(mark)

    def peek(self, index: int = 0) -> Any:
        """Return the character `index` places ahead, by which the scanner ends plain text."""
        char = super().peek(index)
        return _INSIDE_PLAIN_TEXT.get(char, char) if self._in_plain_text else char

    def scan_plain(self) -> Any:
        """Scan plain text. Raises ScannerError for a key without a value, such as `{a:}`."""
        self._in_plain_text = True
        try:
            token = super().scan_plain()
        finally:
            self._in_plain_text = False
        if self.flow_level and self.peek() == ":" and self.peek(1) in ",?[]{}":
            context, mark = "while scanning a plain scalar", self.get_mark()
            raise ScannerError(context, token.start_mark, "found unexpected ':'", mark)
        return token

    def scan_to_next_token(self) -> None:
        """Skip spaces, comments and, outside indentation, tabs."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def scan_flow_scalar(self, style: Any) -> Any:
        """Scan quoted text."""
        self._quote = self.get_mark()
        return super().scan_flow_scalar(style)

    def prefix(self, length: int = 1) -> Any:
        r"""Return the next characters. Raises ScannerError for an escape such as `\ud800`."""
        text = super().prefix(length)
        if self.buffer[self.pointer - 2 : self.pointer] in (r"\u", r"\U"):
            code = int(text, 16)
            if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
                context = "while parsing a quoted scalar"
                message = "found invalid Unicode character escape code"
                raise ScannerError(context, self._quote, message, self.get_mark())
        return text

    def compose_node(self, parent: Any, index: Any) -> Node | None:
        """Return the next node. Raises ComposerError if nodes are nested too deeply."""
        try:
            return super().compose_node(parent, index)
        except RecursionError:
            message = "exceeded maximum nesting depth"
            raise ComposerError(None, None, message, self.get_mark()) from None


_CBase: Any = getattr(yaml, "CSafeLoader", PureLoader)


class Loader(_CBase):  # type: ignore[misc]
    """libyaml's parser if PyYAML includes it, else the pure-Python one."""

    def resolve(self, *_event: Any) -> str:
        """Return `UNTAGGED` for every untagged node; `Document` reads scalars as YAML 1.2."""
        return UNTAGGED
