"""One run of oxide: toolchain, socket, cargo, pipeline, and the program.

    with Session(options, environment(), here=Path.cwd(), ui=ui) as session:
        built = session.build(project.find("vecadd", here), emit={"ptx"})
        built.outputs["vecadd"]["ptx"]
        status = session.run(built, arguments=["--size", "1000"])

Nothing heavy is imported before cargo has something to compile: a build that changes nothing costs little more than cargo's own.
"""

from oxide.cache.compiler import Compiler
from oxide.driver.session import BuildFailed, Built, Session

__all__ = ["BuildFailed", "Built", "Compiler", "Session"]
