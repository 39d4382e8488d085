"""nbgrader writes a result in many small commits, each through a connection of its own. Here all of it is one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from nbgrader.api import Gradebook


class OpenGradebook:
    """A gradebook that stays open while many results are written into it; a context manager."""

    def __init__(self, db_url: str, course_id: str) -> None:
        self._gradebook = Gradebook(db_url, course_id)
        self._url = db_url

    def __enter__(self) -> OpenGradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self._gradebook.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Gradebook]:
        """Whoever makes a `Gradebook` of this database in here gets this one, and what nbgrader commits waits.

        At the end all of it is written at once; where anything fails, or this process is killed, nothing is. One at a
        time: for as long as it lasts, nbgrader's class is changed.
        """
        shared, session = self._gradebook, self._gradebook.db
        made, closed = Gradebook.__init__, Gradebook.close

        def join(gradebook: Gradebook, db_url: str, *rest: Any, **more: Any) -> None:
            if db_url == self._url:
                gradebook.__dict__ = shared.__dict__
            else:
                made(gradebook, db_url, *rest, **more)

        def leave(gradebook: Gradebook) -> None:
            if gradebook.__dict__ is not shared.__dict__:
                closed(gradebook)

        def wait() -> None:
            session.flush()
            session.expire_all()  # as a commit does: what the database computes is read anew

        Gradebook.__init__, Gradebook.close, session.commit = join, leave, wait
        try:
            yield shared
            session().commit()  # the session behind `session`, whose own commit is the waiting one
        except BaseException:
            session.rollback()
            raise
        finally:
            del session.commit
            session.remove()
            Gradebook.__init__, Gradebook.close = made, closed
