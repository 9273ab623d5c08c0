"""What goes wrong through the user's input, as opposed to a defect of ours."""


class UserError(Exception):
    """Bad input. The message is complete: it names the file or argument, the field and the remedy.

    The command line prints it and exits with status 2, without a traceback.
    """
